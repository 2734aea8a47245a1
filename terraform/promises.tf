output "promises" {
  description = "The values that the tests check in dev and in prod (tests/environments.tftest.hcl)."
  value = {
    refuses_to_be_destroyed = {
      bucket   = google_storage_bucket.documents.deletion_policy
      database = google_firestore_database.records.deletion_policy
      disk     = one(module.weaviate[*].promises.disk_deletion)
    }
    service_locks = {
      database     = google_firestore_database.records.delete_protection_state
      secrets      = alltrue(values(google_secret_manager_secret.this)[*].deletion_protection)
      full_buckets = !google_storage_bucket.documents.force_destroy
    }
    can_be_had_back = {
      database_to_the_minute = google_firestore_database.records.point_in_time_recovery_enablement
      deleted_objects        = google_storage_bucket.documents.soft_delete_policy[0].retention_duration_seconds
    }
    instances     = { for name, function in module.function : name => { minimum = function.promises.minimum, maximum = function.promises.maximum } }
    ingress       = { for name, function in module.function : name => function.promises.ingress }
    sign_in       = module.function["api"].promises.environment["RAGBASE_SIGN_IN"]
    callers       = values(google_cloud_run_v2_service_iam_member.api)[*].member
    archives      = { for name, function in module.function : name => function.promises.archive }
    alerted       = values(google_monitoring_notification_channel.email)[*].labels.email_address
    budget        = try(google_billing_budget.month[0].amount[0].specified_amount[0].units, null)
    weaviate_url  = module.function["api"].promises.environment["WEAVIATE_URL"]
    public_access = google_storage_bucket.documents.public_access_prevention
  }
}
