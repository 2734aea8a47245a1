# The scheduled sources.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "the_file_says_what_the_variable_says" {
  command = plan

  variables {
    sources = {
      handbook = { address = "s3://company-docs/\"hand\"book", prefix = "handbook", delete = true, every_minutes = 60 }
      site     = { address = "https://docs.example.com/?a=1&b=2" }
    }
  }

  assert {
    condition     = google_storage_bucket_object.sources.content == <<-TOML
      # Terraform writes this file (variable sources).

      [handbook]
      address = "s3://company-docs/\"hand\"book"
      delete = true
      every_minutes = 60
      force = false
      prefix = "handbook"

      [site]
      address = "https://docs.example.com/?a=1\u0026b=2"
      delete = false
      every_minutes = 1440
      force = false
    TOML
    error_message = "The file says something else than the variable."
  }

  assert {
    condition     = google_storage_bucket_object.sources.bucket == google_storage_bucket.sources.name && google_storage_bucket_object.sources.name == "sources.toml" && module.function["sources"].promises.environment["RAGBASE_SOURCES_BUCKET"] == google_storage_bucket.sources.name
    error_message = "The function looks for the file in another place."
  }
}

run "the_file_is_no_document" {
  command = plan

  assert {
    condition     = google_storage_bucket.sources.name != google_storage_bucket.documents.name && google_storage_bucket.sources.name != google_storage_bucket.texts.name && google_storage_notification.uploads.bucket == google_storage_bucket.documents.name
    error_message = "The file is processed as a document, or the janitor takes it for a given text."
  }
}

run "without_sources_nobody_calls" {
  command = plan

  assert {
    condition     = google_cloud_scheduler_job.sources.paused && google_storage_bucket_object.sources.content != ""
    error_message = "The function is called for nothing, or the file cannot be written."
  }
}

run "one_call_at_a_time_every_half_hour" {
  command = plan

  variables {
    sources = { site = { address = "https://docs.example.com/" } }
  }

  assert {
    condition     = !google_cloud_scheduler_job.sources.paused && google_cloud_scheduler_job.sources.schedule == "*/30 * * * *" && google_cloud_scheduler_job.sources.http_target[0].uri == module.function["sources"].uri
    error_message = "The sources are not looked at every 30 minutes."
  }

  assert {
    condition     = module.function["sources"].promises.timeout < 1800 && module.function["sources"].promises.maximum == 1 && module.function["sources"].promises.concurrency == 1
    error_message = "A call meets the one before."
  }

  assert {
    condition     = google_cloud_scheduler_job.sources.attempt_deadline == "${module.function["sources"].promises.timeout + 30}s" && module.function["sources"].promises.timeout + 30 <= 1800
    error_message = "The scheduler stops waiting too early, or is to wait longer than it can."
  }

  assert {
    condition     = google_cloud_scheduler_job.sources.http_target[0].oidc_token[0].service_account_email == google_service_account.scheduler.email && google_cloud_scheduler_job.sources.http_target[0].oidc_token[0].audience == module.function["sources"].uri
    error_message = "The call has no token, or a token for another function."
  }
}

run "the_function_may_read_the_file_and_write_documents_and_nothing_else" {
  command = plan

  assert {
    condition     = google_storage_bucket_iam_member.sources.bucket == google_storage_bucket.sources.name && google_storage_bucket_iam_member.sources.role == "roles/storage.objectViewer" && google_storage_bucket_iam_member.sources.member == "serviceAccount:${google_service_account.function["sources"].email}" && google_storage_bucket_iam_member.api_reads_sources.bucket == google_storage_bucket.sources.name && google_storage_bucket_iam_member.api_reads_sources.role == "roles/storage.objectViewer" && google_storage_bucket_iam_member.api_reads_sources.member == "serviceAccount:${google_service_account.function["api"].email}"
    error_message = "The function cannot read the file, or may change it."
  }

  assert {
    condition     = length(module.function["sources"].promises.secrets) == 0 && !contains(keys(module.function["sources"].promises.environment), "WEAVIATE_URL") && length(module.function["sources"].promises.networks) == 0
    error_message = "The function has a key or a way to Weaviate that it does not need."
  }

  assert {
    condition     = !anytrue([for name in concat(keys(google_pubsub_topic_iam_member.publisher), keys(google_storage_bucket_iam_member.texts)) : startswith(name, "sources")])
    error_message = "The function may publish jobs, or read given texts."
  }
}

run "the_key_for_s3_goes_to_the_sources_alone" {
  command = plan

  variables {
    s3 = { access_key_id = "their-key-id", secret_access_key = "their-key", region = "eu-west-1", endpoint = "https://minio.example.com" }
  }

  assert {
    condition     = jsonencode(module.function["sources"].promises.secrets) == jsonencode(tomap({ AWS_ACCESS_KEY_ID = "their-key-id", AWS_SECRET_ACCESS_KEY = "their-key" })) && module.function["sources"].promises.environment["AWS_DEFAULT_REGION"] == "eu-west-1" && module.function["sources"].promises.environment["AWS_ENDPOINT_URL_S3"] == "https://minio.example.com"
    error_message = "The function cannot read the buckets."
  }

  assert {
    condition     = alltrue([for name, function in module.function : !anytrue([for variable in concat(keys(function.promises.secrets), keys(function.promises.environment)) : startswith(variable, "AWS_")]) if name != "sources"]) && toset([for name in keys(google_secret_manager_secret_iam_member.reader) : name if strcontains(name, "their")]) == toset(["sources reads their-key-id", "sources reads their-key"])
    error_message = "Another function gets the key for S3."
  }

  assert {
    condition     = !anytrue([for secret in values(google_secret_manager_secret.this) : startswith(secret.secret_id, "their")])
    error_message = "A second secret is created."
  }
}

run "a_folder_as_a_source_is_refused" {
  command = plan

  variables {
    sources = { notes = { address = "/home/me/notes" } }
  }

  expect_failures = [var.sources]
}

run "a_source_with_a_name_that_no_table_can_have_is_refused" {
  command = plan

  variables {
    sources = { "My.Site" = { address = "https://docs.example.com/" } }
  }

  expect_failures = [var.sources]
}

run "an_interval_of_less_than_a_minute_is_refused" {
  command = plan

  variables {
    sources = { site = { address = "https://docs.example.com/", every_minutes = 0.5 } }
  }

  expect_failures = [var.sources]
}
