# The database for the records.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "records_change_by_compare_and_set" {
  command = plan

  assert {
    condition     = google_firestore_database.records.type == "FIRESTORE_NATIVE" && google_firestore_database.records.concurrency_mode == "OPTIMISTIC"
    error_message = "Writers of one record wait for each other."
  }
}

run "the_last_week_of_records_can_be_restored" {
  command = plan

  assert {
    condition     = google_firestore_database.records.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED"
    error_message = "A mistake in the records cannot be undone."
  }
}

run "there_is_a_backup_of_each_day" {
  command = plan

  assert {
    condition     = google_firestore_backup_schedule.daily[0].retention == "604800s" && length(google_firestore_backup_schedule.daily[0].daily_recurrence) == 1
    error_message = "Nothing is left of a database that is deleted."
  }
}

run "records_refuse_to_be_deleted" {
  command = plan

  assert {
    condition     = google_firestore_database.records.delete_protection_state == "DELETE_PROTECTION_ENABLED" && google_firestore_database.records.deletion_policy == "PREVENT"
    error_message = "One command deletes the records."
  }

  assert {
    condition     = alltrue([for bucket in [google_storage_bucket.documents, google_storage_bucket.texts] : bucket.deletion_policy == "PREVENT" && !bucket.force_destroy])
    error_message = "One command deletes the documents."
  }

  assert {
    condition     = alltrue(values(google_secret_manager_secret.this)[*].deletion_protection)
    error_message = "One command deletes the secrets."
  }
}

run "what_is_not_protected_can_be_destroyed" {
  command = plan

  variables {
    protect = false
  }

  assert {
    condition     = google_firestore_database.records.delete_protection_state == "DELETE_PROTECTION_DISABLED" && google_firestore_database.records.deletion_policy == "DELETE" && google_storage_bucket.documents.force_destroy && !anytrue(values(google_secret_manager_secret.this)[*].deletion_protection)
    error_message = "An environment for experiments cannot be destroyed."
  }
}

run "every_query_has_its_index" {
  command = plan

  assert {
    condition     = { for query, index in google_firestore_index.query : query => join(", ", [for field in index.fields : "${field.field_path} ${field.order}"]) } == { newest_first = "shard ASCENDING, tombstone ASCENDING, created_at DESCENDING, __name__ ASCENDING", newest_first_by_status = "shard ASCENDING, tombstone ASCENDING, status ASCENDING, created_at DESCENDING, __name__ ASCENDING", newest_first_of_tenant = "shard ASCENDING, tombstone ASCENDING, tenant ASCENDING, created_at DESCENDING, __name__ ASCENDING", newest_first_of_tenant_by_status = "shard ASCENDING, tombstone ASCENDING, status ASCENDING, tenant ASCENDING, created_at DESCENDING, __name__ ASCENDING", by_name = "bucket ASCENDING, name ASCENDING", waiting = "shard ASCENDING, tombstone ASCENDING, status ASCENDING, updated_at ASCENDING", handed_out_of_tenant = "tenant ASCENDING, handed_out_at ASCENDING", last_changed = "shard ASCENDING, changed_at DESCENDING", last_changed_of_tenant = "shard ASCENDING, tenant ASCENDING, changed_at DESCENDING" }
    error_message = "A query has no index, so Firestore refuses it."
  }

  assert {
    condition     = alltrue([for index in values(google_firestore_index.query) : index.database == google_firestore_database.records.name && index.collection == "documents"])
    error_message = "An index is for another collection."
  }
}

run "no_write_pays_for_an_unused_index" {
  command = plan

  assert {
    condition     = toset([for field in values(google_firestore_field.unindexed) : "${field.collection}/${field.field}"]) == toset(["documents/record", "documents/write", "documents/created_at", "documents/updated_at", "documents/changed_at", "dead_letters/record", "checkpoints/text", "audit/text", "audit/hash", "audit_chains/text", "audit_chains/hash", "audit_chains/at"]) && alltrue([for field in values(google_firestore_field.unindexed) : length(field.index_config[0].indexes) == 0])
    error_message = "A field that no query uses has an index."
  }
}

run "tombstones_expire" {
  command = plan

  assert {
    condition     = google_firestore_field.expiry.field == "expires_at" && length(google_firestore_field.expiry.ttl_config) == 1 && google_firestore_field.expiry.collection == "documents"
    error_message = "The records of deleted documents stay for ever."
  }

  assert {
    condition     = length(google_firestore_field.expiry.index_config[0].indexes) == 0
    error_message = "The index of a time that only increases has a hotspot."
  }
}

run "a_restored_database_is_one_setting" {
  command = plan

  variables {
    database = { name = "ragbase-restored" }
  }

  assert {
    condition     = google_firestore_database.records.name == "ragbase-restored" && google_firestore_field.expiry.database == "ragbase-restored" && google_firestore_backup_schedule.daily[0].database == "ragbase-restored" && alltrue([for index in values(google_firestore_index.query) : index.database == "ragbase-restored"])
    error_message = "The restored database has no expiry, no backups or no indexes."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.environment["RAGBASE_FIRESTORE_DATABASE"] == "ragbase-restored"]) && alltrue([for grant in values(google_project_iam_member.records) : endswith(grant.condition[0].expression, "databases/ragbase-restored\"")])
    error_message = "A function asks the database before, or may not ask the restored one."
  }

  assert {
    condition     = google_firestore_database.records.deletion_policy == "PREVENT" && output.restore.database == "ragbase-restored"
    error_message = "The restored database is not protected, or scripts/restore takes another one."
  }
}

run "a_name_that_firestore_refuses_is_refused" {
  command = plan

  variables {
    database = { name = "Restored" }
  }

  expect_failures = [var.database]
}
