# What the bucket promises.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
  mock_data "google_storage_project_service_account" {
    defaults = { email_address = "service-123456789012@gs-project-accounts.iam.gserviceaccount.com" }
  }
}

variables {
  project = "ragbase-test"
  archives = {
    for name in ["api", "dead_letter", "fast_lane", "heavy_lane", "janitor", "router"] :
    name => { path = "${name}.zip", sha256 = sha256(name) }
  }
  weaviate_vm = {}
}

run "an_environment_is_made_from_nothing" {
  assert {
    condition     = output.bucket == "ragbase-test-ragbase"
    error_message = "The bucket is named for its project."
  }
}

run "nobody_outside_of_the_project_reaches_the_bucket" {
  command = plan

  assert {
    condition     = google_storage_bucket.documents.public_access_prevention == "enforced" && google_storage_bucket.documents.uniform_bucket_level_access
    error_message = "The bucket could be opened to the public, by a policy or object by object."
  }

  assert {
    condition     = google_storage_bucket.archives.public_access_prevention == "enforced" && google_storage_bucket.archives.uniform_bucket_level_access
    error_message = "The bucket of archives could be opened to the public."
  }

  assert {
    condition     = alltrue([for grant in concat(values(google_storage_bucket_iam_member.objects), [google_storage_bucket_iam_member.build]) : startswith(grant.member, "serviceAccount:")])
    error_message = "Somebody who is no function's account has a role on a bucket."
  }
}

run "overwritten_and_deleted_documents_can_be_had_back" {
  command = plan

  assert {
    condition     = google_storage_bucket.documents.versioning[0].enabled
    error_message = "An overwritten document is lost."
  }

  assert {
    condition     = google_storage_bucket.documents.soft_delete_policy[0].retention_duration_seconds >= 7 * 86400
    error_message = "A deleted object is gone at once."
  }
}

run "what_is_old_or_half_uploaded_goes_by_itself" {
  command = plan

  assert {
    condition     = anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "Delete" && one(rule.condition).days_since_noncurrent_time == 30])
    error_message = "Old versions stay, and are billed, for ever."
  }

  assert {
    condition     = !anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "Delete" && one(rule.condition).with_state != "ARCHIVED"])
    error_message = "A rule deletes live documents."
  }

  assert {
    condition     = anytrue([for rule in google_storage_bucket.documents.lifecycle_rule : one(rule.action).type == "AbortIncompleteMultipartUpload"])
    error_message = "What broken uploads leave is billed for ever."
  }
}

run "every_change_of_the_bucket_is_announced_to_the_router" {
  command = plan

  assert {
    condition     = google_storage_notification.uploads.bucket == google_storage_bucket.documents.name && google_storage_notification.uploads.topic == google_pubsub_topic.lane["uploads"].id
    error_message = "The notification is of another bucket, or to another topic."
  }

  assert {
    condition     = google_storage_notification.uploads.event_types == toset(["OBJECT_FINALIZE", "OBJECT_DELETE", "OBJECT_ARCHIVE"])
    error_message = "The router has to learn of new, deleted and, with versioning, archived objects."
  }

  assert {
    condition     = google_storage_notification.uploads.payload_format == "JSON_API_V1"
    error_message = "Without the payload the router does not know size and MD5."
  }

  assert {
    condition     = google_storage_notification.uploads.object_name_prefix == null
    error_message = "Documents outside of a prefix are never found."
  }
}

run "cloud_storage_may_publish_what_happens" {
  command = plan

  assert {
    condition     = google_pubsub_topic_iam_member.bucket.topic == google_pubsub_topic.lane["uploads"].name && google_pubsub_topic_iam_member.bucket.role == "roles/pubsub.publisher"
    error_message = "Without the grant no upload is announced."
  }

  assert {
    condition     = google_pubsub_topic_iam_member.bucket.member == "serviceAccount:service-123456789012@gs-project-accounts.iam.gserviceaccount.com"
    error_message = "It is Cloud Storage's own account that publishes."
  }
}

run "no_page_uploads_unless_its_origin_is_named" {
  command = plan

  assert {
    condition     = length(google_storage_bucket.documents.cors) == 0
    error_message = "Without origins there is nothing to allow."
  }
}

run "a_named_origin_may_put_and_nothing_else" {
  command = plan

  variables {
    bucket = { cors_origins = ["https://docs.example.com"] }
  }

  assert {
    condition     = google_storage_bucket.documents.cors[0].origin == tolist(["https://docs.example.com"]) && google_storage_bucket.documents.cors[0].method == tolist(["PUT"])
    error_message = "A signed upload is a PUT from the page's own origin."
  }
}

run "any_origin_is_refused" {
  command = plan

  variables {
    bucket = { cors_origins = ["*"] }
  }

  expect_failures = [var.bucket]
}

run "an_own_key_encrypts_all_that_is_kept" {
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
    error_message = "A service may not use the key, so that what it should encrypt cannot be made."
  }
}
