# Rights: accounts, roles and secrets.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "an_account_has_access_only_to_this_database" {
  command = plan

  assert {
    condition     = toset(keys(google_project_iam_member.records)) == toset(keys(module.function))
    error_message = "A function has no access to the records."
  }

  assert {
    condition     = alltrue([for grant in values(google_project_iam_member.records) : grant.role == "roles/datastore.user" && grant.condition[0].expression == "resource.name == \"projects/ragbase-test/databases/${google_firestore_database.records.name}\""])
    error_message = "A function has access to other databases of the project."
  }
}

run "only_the_api_and_the_sources_may_write_objects" {
  command = plan

  assert {
    condition     = { for name, grant in google_storage_bucket_iam_member.objects : name => grant.role } == { router = "roles/storage.objectViewer", fast_lane = "roles/storage.objectViewer", heavy_lane = "roles/storage.objectViewer", dead_letter = "roles/storage.objectViewer", janitor = "roles/storage.objectViewer", api = "roles/storage.objectUser", sources = "roles/storage.objectUser" }
    error_message = "A function has more or fewer rights on documents than it needs."
  }

  assert {
    condition     = alltrue([for name, grant in google_storage_bucket_iam_member.objects : grant.bucket == google_storage_bucket.documents.name && grant.member == "serviceAccount:${google_service_account.function[name].email}"])
    error_message = "A grant is for another bucket or another function."
  }

  assert {
    condition     = { for name, grant in google_storage_bucket_iam_member.texts : name => "${grant.role} ${grant.bucket}" if grant.member == "serviceAccount:${google_service_account.function[name].email}" } == { for name in ["fast_lane", "heavy_lane", "janitor", "api"] : name => "roles/storage.objectUser ${google_storage_bucket.texts.name}" }
    error_message = "A function has more or fewer rights on given texts than it needs."
  }
}

run "a_function_may_publish_to_the_topics_that_it_uses" {
  command = plan

  assert {
    condition     = toset(keys(google_pubsub_topic_iam_member.publisher)) == toset(concat(["router to fast_lane", "router to heavy_lane", "janitor to fast_lane", "janitor to heavy_lane", "dead_letter to fast_lane", "dead_letter to heavy_lane", "api to fast_lane", "api to heavy_lane"], flatten([for name in ["fast_lane", "heavy_lane"] : [for topic in ["fast_lane", "heavy_lane", "dead_letter"] : "${name} to ${topic}"]])))
    error_message = "A function may publish to a topic that it does not use, or may not publish to a topic that it uses."
  }

  assert {
    condition     = alltrue([for grant in values(google_pubsub_topic_iam_member.publisher) : grant.role == "roles/pubsub.publisher" && grant.topic != google_pubsub_topic.lane["uploads"].name])
    error_message = "A function could publish false uploads."
  }

  assert {
    condition     = alltrue([for name, grant in google_pubsub_topic_iam_member.publisher : grant.topic == google_pubsub_topic.lane[split(" to ", name)[1]].name && grant.member == "serviceAccount:${google_service_account.function[split(" to ", name)[0]].email}"])
    error_message = "A grant is for another function or another topic."
  }
}

run "every_secret_is_granted_to_just_its_readers" {
  command = plan

  assert {
    condition     = toset([for grant in values(google_secret_manager_secret_iam_member.reader) : "${grant.secret_id} ${grant.member}"]) == toset(concat([for name in ["fast_lane", "heavy_lane", "api"] : "ragbase-cohere-api-key serviceAccount:${google_service_account.function[name].email}"], [for name in ["fast_lane", "heavy_lane", "api", "janitor"] : "ragbase-weaviate-api-key serviceAccount:${google_service_account.function[name].email}"]))
    error_message = "An account may read a secret that it does not need, or may not read one that it needs."
  }

  assert {
    condition     = alltrue([for grant in values(google_secret_manager_secret_iam_member.reader) : grant.role == "roles/secretmanager.secretAccessor"])
    error_message = "A reader may change a secret."
  }
}

run "a_function_gets_the_secrets_that_it_may_read" {
  command = plan

  assert {
    condition     = alltrue([for name, function in module.function : jsonencode(function.promises.secrets) == jsonencode({ for key, secret in { CO_API_KEY = "ragbase-cohere-api-key", WEAVIATE_API_KEY = "ragbase-weaviate-api-key" } : key => secret if contains(key == "CO_API_KEY" ? ["fast_lane", "heavy_lane", "api"] : ["fast_lane", "heavy_lane", "api", "janitor"], name) })])
    error_message = "A function has no key, or a key that it may not read."
  }
}

run "the_password_goes_to_the_api_alone_and_only_if_it_has_a_value" {
  command = plan

  variables {
    api_password = true
  }

  assert {
    condition     = { for name, function in module.function : name => function.promises.secrets["RAGBASE_PASSWORD_HASH"] if contains(keys(function.promises.secrets), "RAGBASE_PASSWORD_HASH") } == { api = "ragbase-password-hash" }
    error_message = "The api does not get the password's hash, or another function gets it."
  }

  assert {
    condition     = [for grant in values(google_secret_manager_secret_iam_member.reader) : grant.member if grant.secret_id == "ragbase-password-hash"] == ["serviceAccount:${google_service_account.function["api"].email}"]
    error_message = "Another account may read the password's hash, or the api may not."
  }

  assert {
    condition     = output.secrets["password"] == "ragbase-password-hash"
    error_message = "Nobody asks for the hash, and the api does not start without it."
  }
}

run "an_existing_secret_is_granted_and_not_created" {
  command = plan

  variables {
    weaviate = { url = "https://weaviate.example.com", secret = "their-key" }
  }

  assert {
    condition     = toset(keys(google_secret_manager_secret.this)) == toset(["cohere", "password"])
    error_message = "A second secret is created."
  }

  assert {
    condition     = module.function["api"].promises.secrets["WEAVIATE_API_KEY"] == "their-key" && contains(keys(google_secret_manager_secret_iam_member.reader), "api reads their-key")
    error_message = "The api does not get the existing secret."
  }
}

run "a_secret_cannot_be_lost_at_once" {
  command = plan

  assert {
    condition     = alltrue([for secret in values(google_secret_manager_secret.this) : secret.deletion_protection && secret.version_destroy_ttl == "604800s"])
    error_message = "A deleted secret is lost at once."
  }

  assert {
    condition     = alltrue([for secret in values(google_secret_manager_secret.this) : secret.replication[0].user_managed[0].replicas[0].location == var.region])
    error_message = "A secret is stored in other regions."
  }
}

run "the_api_can_sign_only_as_itself" {
  command = plan

  assert {
    condition     = google_service_account_iam_member.signs.service_account_id == google_service_account.function["api"].name && google_service_account_iam_member.signs.member == "serviceAccount:${google_service_account.function["api"].email}" && google_service_account_iam_member.signs.role == "roles/iam.serviceAccountTokenCreator"
    error_message = "The api can act as another account, or cannot sign the URL of an upload."
  }
}

run "the_scheduler_calls_the_janitor_and_the_sources_and_nothing_else" {
  command = plan

  assert {
    condition     = google_cloud_run_v2_service_iam_member.scheduler.name == module.function["janitor"].service && google_cloud_run_v2_service_iam_member.scheduler.role == "roles/run.invoker" && google_cloud_run_v2_service_iam_member.scheduler.member == "serviceAccount:${google_service_account.scheduler.email}"
    error_message = "The scheduler may call another function, or may not call the janitor."
  }

  assert {
    condition     = google_cloud_run_v2_service_iam_member.sources.name == module.function["sources"].service && google_cloud_run_v2_service_iam_member.sources.role == "roles/run.invoker" && google_cloud_run_v2_service_iam_member.sources.member == "serviceAccount:${google_service_account.scheduler.email}"
    error_message = "The scheduler may not call the sources, or somebody else may."
  }

  assert {
    condition     = google_cloud_scheduler_job.janitor.http_target[0].oidc_token[0].service_account_email == google_service_account.scheduler.email && google_cloud_scheduler_job.janitor.http_target[0].oidc_token[0].audience == module.function["janitor"].uri
    error_message = "The call has no token, or a token for another function."
  }
}

run "builds_may_store_an_image_and_write_their_log" {
  command = plan

  assert {
    condition     = toset(values(google_project_iam_member.build)[*].role) == toset(["roles/artifactregistry.writer", "roles/logging.logWriter"]) && google_project_iam_member.build_sources.role == "roles/storage.objectViewer"
    error_message = "Builds have more or fewer rights than to store an image and write their log."
  }
}

run "every_api_that_is_used_is_enabled_and_stays" {
  command = plan

  assert {
    condition     = length(setsubtract(["artifactregistry", "cloudbuild", "cloudfunctions", "cloudscheduler", "compute", "firestore", "iam", "iamcredentials", "logging", "monitoring", "pubsub", "run", "secretmanager", "storage"], [for service in keys(google_project_service.required) : trimsuffix(service, ".googleapis.com")])) == 0
    error_message = "An API that is needed is not enabled."
  }

  assert {
    condition     = !anytrue(values(google_project_service.required)[*].disable_on_destroy)
    error_message = "Destroying the environment disables APIs that others use."
  }
}
