# The buckets.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  weaviate    = null
  weaviate_vm = {}
}

run "nobody_outside_the_project_reaches_the_bucket" {
  command = plan

  assert {
    condition     = google_storage_bucket.documents.public_access_prevention == "enforced" && google_storage_bucket.documents.uniform_bucket_level_access
    error_message = "A policy or an ACL of an object could open the bucket to the public."
  }

  assert {
    condition     = google_storage_bucket.archives.public_access_prevention == "enforced" && google_storage_bucket.archives.uniform_bucket_level_access
    error_message = "The bucket for archives could be opened to the public."
  }

  assert {
    condition     = google_storage_bucket.texts.public_access_prevention == "enforced" && google_storage_bucket.texts.uniform_bucket_level_access
    error_message = "The bucket for given texts could be opened to the public."
  }

  assert {
    condition     = google_storage_bucket.sources.public_access_prevention == "enforced" && google_storage_bucket.sources.uniform_bucket_level_access
    error_message = "The bucket for sources.toml could be opened to the public."
  }

  assert {
    condition     = alltrue([for grant in concat(values(google_storage_bucket_iam_member.objects), values(google_storage_bucket_iam_member.texts), [google_storage_bucket_iam_member.sources, google_storage_bucket_iam_member.api_reads_sources, google_storage_bucket_iam_member.build]) : startswith(grant.member, "serviceAccount:")])
    error_message = "A role on a bucket belongs to something other than a service account."
  }
}

run "overwritten_and_deleted_documents_can_be_restored" {
  command = plan

  assert {
    condition     = google_storage_bucket.documents.versioning[0].enabled
    error_message = "An overwritten document is lost."
  }

  assert {
    condition     = google_storage_bucket.documents.soft_delete_policy[0].retention_duration_seconds >= 7 * 86400
    error_message = "A deleted object is lost at once."
  }
}

run "old_versions_and_broken_uploads_are_deleted" {
  command = plan

  assert {
    condition     = anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "Delete" && one(rule.condition).days_since_noncurrent_time == 30])
    error_message = "Old versions stay for ever and cost money."
  }

  assert {
    condition     = !anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "Delete" && one(rule.condition).with_state != "ARCHIVED"])
    error_message = "A rule deletes live documents."
  }

  assert {
    condition     = anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "AbortIncompleteMultipartUpload"])
    error_message = "The parts of broken uploads stay for ever and cost money."
  }
}

run "every_change_in_the_bucket_is_announced_to_the_router" {
  command = plan

  assert {
    condition     = google_storage_notification.uploads.bucket == google_storage_bucket.documents.name && google_storage_notification.uploads.topic == google_pubsub_topic.lane["uploads"].id
    error_message = "The notification is for another bucket, or goes to another topic."
  }

  assert {
    condition     = google_storage_notification.uploads.event_types == toset(["OBJECT_FINALIZE", "OBJECT_DELETE", "OBJECT_ARCHIVE"])
    error_message = "The router does not get an event for each new, deleted and (with versioning) archived object."
  }

  assert {
    condition     = google_storage_notification.uploads.payload_format == "JSON_API_V1"
    error_message = "Without the payload the router does not know size and MD5."
  }

  assert {
    condition     = google_storage_notification.uploads.object_name_prefix == null
    error_message = "The router gets no events for documents without the prefix."
  }
}

run "cloud_storage_may_publish_the_changes" {
  command = plan

  assert {
    condition     = google_pubsub_topic_iam_member.bucket.topic == google_pubsub_topic.lane["uploads"].name && google_pubsub_topic_iam_member.bucket.role == "roles/pubsub.publisher"
    error_message = "Cloud Storage may not publish to the topic, so no upload is announced."
  }

  assert {
    condition     = google_pubsub_topic_iam_member.bucket.member == "serviceAccount:service-123456789012@gs-project-accounts.iam.gserviceaccount.com"
    error_message = "The grant is not for Cloud Storage's own account, which publishes."
  }
}

run "no_web_page_may_upload_by_default" {
  command = plan

  assert {
    condition     = length(google_storage_bucket.documents.cors) == 0
    error_message = "The bucket has a CORS rule, although there are no origins."
  }
}

run "an_allowed_origin_may_only_put" {
  command = plan

  variables {
    bucket = { cors_origins = ["https://docs.example.com"] }
  }

  assert {
    condition     = google_storage_bucket.documents.cors[0].origin == tolist(["https://docs.example.com"]) && google_storage_bucket.documents.cors[0].method == tolist(["PUT"])
    error_message = "The CORS rule does not allow exactly PUT from the origin."
  }
}

run "a_wildcard_origin_is_refused" {
  command = plan

  variables {
    bucket = { cors_origins = ["*"] }
  }

  expect_failures = [var.bucket]
}

run "your_own_key_encrypts_all_stored_data" {
  command = plan

  variables {
    kms_key = "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k"
  }

  assert {
    condition     = google_storage_bucket.documents.encryption[0].default_kms_key_name == var.kms_key && google_storage_bucket.archives.encryption[0].default_kms_key_name == var.kms_key
    error_message = "A bucket is not encrypted with the key."
  }

  assert {
    condition     = alltrue([for topic in concat(values(google_pubsub_topic.lane), [google_pubsub_topic.kept]) : topic.kms_key_name == var.kms_key])
    error_message = "A topic is not encrypted with the key."
  }

  assert {
    condition     = google_firestore_database.records.cmek_config[0].kms_key_name == var.kms_key
    error_message = "The records are not encrypted with the key."
  }

  assert {
    condition     = module.weaviate[0].promises.disk_key == var.kms_key
    error_message = "Weaviate's disk is not encrypted with the key."
  }

  assert {
    condition     = toset(values(google_kms_crypto_key_iam_member.agent)[*].member) == toset([local.agents.compute, local.agents.firestore, local.agents.pubsub, local.agents.secret_manager, local.agents.storage])
    error_message = "A service may not use the key, so Google cannot create its encrypted resources."
  }
}

run "the_bucket_and_the_database_may_outlive_a_region" {
  command = plan

  variables {
    bucket   = { location = "EU" }
    database = { location = "eur3" }
  }

  assert {
    condition     = google_storage_bucket.documents.location == "EU" && google_firestore_database.records.location_id == "eur3"
    error_message = "The documents or their records are in one region all the same."
  }

  assert {
    condition     = google_storage_bucket.texts.location == var.region && google_storage_bucket.archives.location == var.region
    error_message = "What can be made again costs more."
  }
}
