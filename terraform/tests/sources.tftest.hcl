# The sources that are synced on a schedule.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  sources_file = "tests/sources.toml"
}

run "nothing_calls_the_sources_without_a_file" {
  command = plan

  variables {
    sources_file = null
  }

  assert {
    condition     = length(google_cloud_scheduler_job.sources) == 0 && !contains(keys(module.function["sources"].promises.environment), "RAGBASE_SOURCES_FILE")
    error_message = "The function is called although there is nothing to sync."
  }
}

run "the_file_is_read_from_a_bucket_that_announces_nothing" {
  command = plan

  assert {
    condition     = module.function["sources"].promises.environment["RAGBASE_SOURCES_FILE"] == "gs://${google_storage_bucket.archives.name}/sources.toml" && google_storage_bucket_object.sources[0].bucket != google_storage_bucket.documents.name
    error_message = "The function reads another file, or the file becomes a document."
  }

  assert {
    condition     = google_storage_bucket_iam_member.sources.bucket == google_storage_bucket.archives.name && google_storage_bucket_iam_member.sources.role == "roles/storage.objectViewer"
    error_message = "The function may not read the file, or may change it."
  }
}

run "one_run_of_the_sources_at_a_time_within_its_time" {
  command = plan

  assert {
    condition     = module.function["sources"].promises.maximum == 1 && module.function["sources"].promises.concurrency == 1 && module.function["sources"].promises.timeout == 1800 && google_cloud_scheduler_job.sources[0].attempt_deadline == "1800s"
    error_message = "Two runs take the same work, or the scheduler stops waiting before the function ends."
  }
}

run "only_the_scheduler_calls_the_sources" {
  command = plan

  assert {
    condition     = google_cloud_run_v2_service_iam_member.sources.member == "serviceAccount:${google_service_account.scheduler.email}" && google_cloud_scheduler_job.sources[0].http_target[0].oidc_token[0].audience == module.function["sources"].uri && module.function["sources"].promises.ingress == "ALLOW_INTERNAL_ONLY"
    error_message = "Somebody else may call the function, or the scheduler may not."
  }
}

run "the_sources_write_documents_and_nothing_else" {
  command = plan

  assert {
    condition     = local.access.sources.objects == "write" && length(local.access.sources.publishes) == 0 && !local.access.sources.texts && !local.access.sources.weaviate
    error_message = "The function has a right that its code does not use."
  }

  assert {
    condition     = length(module.function["sources"].promises.secrets) == 0
    error_message = "The function knows a key that it does not need."
  }
}

run "keys_of_buckets_elsewhere_go_to_the_sources_alone" {
  command = plan

  variables {
    source_secrets = { AWS_ACCESS_KEY_ID = "aws-id", AWS_SECRET_ACCESS_KEY = "aws-key" }
  }

  assert {
    condition     = toset(keys(google_secret_manager_secret_iam_member.source)) == toset(["aws-id", "aws-key"]) && alltrue([for grant in values(google_secret_manager_secret_iam_member.source) : grant.member == "serviceAccount:${google_service_account.function["sources"].email}"])
    error_message = "Another function may read the keys."
  }
}

run "a_round_that_breaks_off_causes_an_alert" {
  command = plan

  assert {
    condition     = strcontains(google_logging_metric.this["sources_failed"].filter, "source.failed") && strcontains(google_monitoring_alert_policy.this["sources_failed"].conditions[0].condition_threshold[0].filter, "ragbase/sources_failed")
    error_message = "Nobody hears of a source that fails."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.scheduler.conditions[0].condition_matched_log[0].filter, "sources")
    error_message = "Nobody hears of a call that fails."
  }
}

run "a_file_that_does_not_exist_is_refused" {
  command = plan

  variables {
    sources_file = "tests/nowhere.toml"
  }

  expect_failures = [var.sources_file]
}
