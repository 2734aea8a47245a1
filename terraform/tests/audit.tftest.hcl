# The exports of the audit log.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "without_a_retention_there_is_no_bucket_and_nobody_exports" {
  command = plan

  assert {
    condition     = length(google_storage_bucket.audit) == 0 && length(google_storage_bucket_iam_member.audit) == 0 && !contains(keys(module.function["janitor"].promises.environment), "RAGBASE_AUDIT_BUCKET")
    error_message = "The janitor exports what nobody has asked for."
  }
}

run "exports_are_kept_for_the_days" {
  command = plan

  variables {
    audit_retention = { days = 400 }
  }

  assert {
    condition     = one(google_storage_bucket.audit[0].retention_policy).retention_period == "34560000" && !one(google_storage_bucket.audit[0].retention_policy).is_locked
    error_message = "An export can be removed early, or the policy was locked unasked."
  }

  assert {
    condition     = google_storage_bucket.audit[0].public_access_prevention == "enforced" && google_storage_bucket.audit[0].uniform_bucket_level_access
    error_message = "A policy or an ACL of an object could open the bucket to the public."
  }

  assert {
    condition     = [for name, function in module.function : name if contains(keys(function.promises.environment), "RAGBASE_AUDIT_BUCKET")] == ["janitor"] && module.function["janitor"].promises.environment["RAGBASE_AUDIT_BUCKET"] == google_storage_bucket.audit[0].name
    error_message = "The janitor exports to another bucket, or others do, too."
  }

  assert {
    condition     = google_storage_bucket_iam_member.audit[0].bucket == google_storage_bucket.audit[0].name && google_storage_bucket_iam_member.audit[0].member == "serviceAccount:${google_service_account.function["janitor"].email}"
    error_message = "The janitor may not write its exports."
  }
}

run "a_lock_is_asked_for" {
  command = plan

  variables {
    audit_retention = { days = 1, locked = true }
  }

  assert {
    condition     = one(google_storage_bucket.audit[0].retention_policy).is_locked
    error_message = "The policy could be removed."
  }
}

run "half_a_day_is_refused" {
  command = plan

  variables {
    audit_retention = { days = 0.5 }
  }

  expect_failures = [var.audit_retention]
}
