# The functions: deployment, callers, accounts and settings.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "every_function_is_deployed_on_python_3_12" {
  command = plan

  assert {
    condition     = { for name, function in module.function : name => function.promises.entry_point } == { for name in keys(var.archives) : name => name }
    error_message = "A function is missing, or has the entry point of another one."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.runtime == "python312"])
    error_message = "A function does not run on Python 3.12, but its requirements are locked for it."
  }
}

run "an_archive_is_named_by_its_hash" {
  command = plan

  assert {
    condition     = alltrue([for name, function in module.function : function.promises.archive == "${name}/${var.archives[name].sha256}.zip"])
    error_message = "Unchanged sources are deployed again, or changed sources are not."
  }
}

run "only_the_api_can_be_reached_from_outside" {
  command = plan

  assert {
    condition     = { for name, function in module.function : name => function.promises.ingress if function.promises.ingress != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_ALL" }
    error_message = "Requests from the internet reach a function other than the api."
  }
}

run "nobody_may_call_the_api_by_default" {
  command = plan

  assert {
    condition     = length(google_cloud_run_v2_service_iam_member.api) == 0
    error_message = "Somebody may call the api by default."
  }
}

run "no_binding_to_all_users_unless_api_public" {
  command = plan

  variables {
    api_callers = ["group:readers@example.com"]
  }

  assert {
    condition     = values(google_cloud_run_v2_service_iam_member.api)[*].member == ["group:readers@example.com"]
    error_message = "Somebody who is not in api_callers may call the api."
  }
}

run "api_public_opens_only_the_api" {
  command = plan

  variables {
    api_public = true
  }

  assert {
    condition     = values(google_cloud_run_v2_service_iam_member.api)[*].member == ["allUsers"] && values(google_cloud_run_v2_service_iam_member.api)[*].name == [module.function["api"].service]
    error_message = "A public api is not open to all users, or the grant is for another function."
  }

  assert {
    condition     = !contains(concat([for lane in values(module.lane) : lane.promises.invoker], [google_cloud_run_v2_service_iam_member.scheduler.member, google_cloud_run_v2_service_iam_member.sources.member]), "allUsers")
    error_message = "A function other than the api is open to all users."
  }
}

run "where_iam_asks_nobody_has_to_sign_in" {
  command = plan

  variables {
    api_callers = ["group:readers@example.com"]
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.environment["RAGBASE_SIGN_IN"] == "iam"])
    error_message = "Those whom IAM lets through have to sign in."
  }
}

run "a_public_api_answers_only_who_signs_in" {
  command = plan

  variables {
    api_public = true
  }

  assert {
    condition     = module.function["api"].promises.environment["RAGBASE_SIGN_IN"] == "required"
    error_message = "Everybody can read and change the documents."
  }

  assert {
    condition     = !strcontains(output.how_to_upload_and_ask, "gcloud auth") && strcontains(output.how_to_upload_and_ask, "Authorization: Bearer $RAGBASE_KEY")
    error_message = "The example asks without a key, or with a token that nobody checks."
  }
}

run "both_may_be_asked_for" {
  command = plan

  variables {
    api_sign_in = true
  }

  assert {
    condition     = module.function["api"].promises.environment["RAGBASE_SIGN_IN"] == "required" && length(google_cloud_run_v2_service_iam_member.api) == 0
    error_message = "A sign-in opens the api, or is not asked for."
  }

  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "X-Serverless-Authorization: Bearer $(gcloud auth print-identity-token)") && strcontains(output.how_to_upload_and_ask, "\"Authorization: Bearer $RAGBASE_KEY")
    error_message = "The example lacks one of the two tokens."
  }
}

run "a_setting_cannot_switch_the_sign_in_off" {
  command = plan

  variables {
    api_public = true
    settings   = { sign_in = "iam" }
  }

  expect_failures = [var.settings]
}

run "all_users_among_the_callers_are_refused" {
  command = plan

  variables {
    api_callers = ["allUsers"]
  }

  expect_failures = [var.api_callers]
}

run "each_function_runs_under_its_own_account" {
  command = plan

  assert {
    condition     = alltrue([for name, function in module.function : function.promises.account == google_service_account.function[name].email])
    error_message = "A function runs under the account of another function, or under the default account."
  }

  assert {
    condition     = length(distinct(values(google_service_account.function)[*].account_id)) == length(module.function)
    error_message = "Two functions share an account."
  }
}

run "builds_run_under_their_own_account" {
  command = plan

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.builder == google_service_account.build.id])
    error_message = "A build runs under the default account, which may have the role Editor."
  }

  assert {
    condition     = google_storage_bucket_iam_member.build.bucket == google_storage_bucket.archives.name && google_storage_bucket_iam_member.build.role == "roles/storage.objectViewer"
    error_message = "A build cannot read the archives, or has other rights on buckets."
  }

  assert {
    condition     = strcontains(google_project_iam_member.build_sources.condition[0].expression, "gcf-v2-sources-123456789012-")
    error_message = "A build can read the documents."
  }
}

run "every_function_gets_the_same_environment" {
  command = plan

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.environment["RAGBASE_PROFILE"] == "gcp" && function.promises.environment["GOOGLE_CLOUD_PROJECT"] == var.project && function.promises.environment["RAGBASE_BUCKET"] == google_storage_bucket.documents.name && function.promises.environment["RAGBASE_FIRESTORE_DATABASE"] == google_firestore_database.records.name])
    error_message = "A function uses another profile, project, bucket or database."
  }
}

run "a_setting_reaches_every_function" {
  command = plan

  variables {
    settings = { chunk_size = "800" }
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.environment["RAGBASE_CHUNK_SIZE"] == "800"])
    error_message = "A function does not get a setting of the environment."
  }
}

run "a_setting_that_terraform_sets_is_refused" {
  command = plan

  variables {
    settings = { fast_topic = "another" }
  }

  expect_failures = [var.settings]
}

run "a_model_that_functions_do_not_have_is_refused" {
  command = plan

  variables {
    settings = { embedder = "e5" }
  }

  expect_failures = [var.settings]
}

run "a_secret_among_the_settings_is_refused" {
  command = plan

  variables {
    settings = { cohere_api_key = "readable by all who see the function" }
  }

  expect_failures = [var.settings]
}

run "a_function_without_an_archive_is_refused" {
  command = plan

  variables {
    archives = { api = { path = "api.zip", sha256 = sha256("api") } }
  }

  expect_failures = [var.archives]
}
