# What dev and prod promise, and where they differ.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project = "ragbase-test"
  archives = {
    for name in ["api", "dead_letter", "fast_lane", "heavy_lane", "janitor", "router"] :
    name => { path = "${name}.zip", sha256 = sha256(name) }
  }
  alert_emails = ["oncall@example.com"]
  budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
  api_callers  = ["group:readers@example.com"]
}

run "dev_is_made_from_nothing" {
  state_key = "dev"

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = output.bucket == "ragbase-test-ragbase" && output.endpoint != ""
    error_message = "There is no bucket to upload to, or no endpoint to ask."
  }
  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "gs://ragbase-test-ragbase/") && strcontains(output.how_to_upload_and_ask, "${output.endpoint}/api/query")
    error_message = "It is not told how to upload and ask."
  }
}

run "prod_is_made_from_nothing" {
  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = output.bucket == "ragbase-test-ragbase" && output.endpoint != ""
    error_message = "There is no bucket to upload to, or no endpoint to ask."
  }
  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "gs://ragbase-test-ragbase/") && strcontains(output.how_to_upload_and_ask, "${output.endpoint}/api/query")
    error_message = "It is not told how to upload and ask."
  }
}

run "prod_protects_its_data" {
  command = plan

  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "PREVENT", database = "PREVENT", disk = "PREVENT" }
    error_message = "What holds data goes with one command."
  }

  assert {
    condition     = module.ragbase.promises.service_locks == { database = "DELETE_PROTECTION_ENABLED", secrets = true, full_buckets = true }
    error_message = "A service deletes data without asking."
  }

  assert {
    condition     = module.ragbase.promises.can_be_had_back.database_to_the_minute == "POINT_IN_TIME_RECOVERY_ENABLED" && module.ragbase.promises.can_be_had_back.deleted_objects == 30 * 86400
    error_message = "What was deleted by mistake cannot be had back."
  }
}

run "prod_lets_go_of_its_data_only_when_told" {
  command = plan

  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  variables {
    protect = false
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "DELETE", database = "DELETE", disk = "DELETE" }
    error_message = "It can never be destroyed."
  }
}

run "dev_can_be_destroyed" {
  command = plan

  state_key = "dev"

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "DELETE", database = "DELETE", disk = "DELETE" } && module.ragbase.promises.service_locks == { database = "DELETE_PROTECTION_DISABLED", secrets = false, full_buckets = false }
    error_message = "An environment to try things out stays for ever."
  }
}

run "dev_costs_nothing_while_nobody_asks" {
  command = plan

  state_key = "dev"

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = alltrue([for limits in values(module.ragbase.promises.instances) : limits.minimum == 0 && limits.maximum <= 10])
    error_message = "An instance runs that nobody needs."
  }

  assert {
    condition     = module.ragbase.promises.budget == null && module.ragbase.promises.can_be_had_back.database_to_the_minute == "POINT_IN_TIME_RECOVERY_DISABLED"
    error_message = "Something is paid for that dev has no use for."
  }
}

run "prod_answers_without_a_cold_start" {
  command = plan

  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.instances.api.minimum == 1 && module.ragbase.promises.instances.api.maximum == 50
    error_message = "The first question of the morning waits for a start."
  }

  assert {
    condition     = module.ragbase.promises.instances.janitor.maximum == 1
    error_message = "Two janitors do the same work twice."
  }
}

run "prod_tells_somebody_and_has_a_budget" {
  command = plan

  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.alerted == ["oncall@example.com"] && module.ragbase.promises.budget == "300"
    error_message = "Nobody learns that it fails, or what it costs."
  }
}

run "dev_is_closed_to_the_outside_but_for_the_api" {
  command = plan

  state_key = "dev"

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = { for name, setting in module.ragbase.promises.ingress : name => setting if setting != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_ALL" } && module.ragbase.promises.callers == ["group:readers@example.com"] && module.ragbase.promises.public_access == "enforced"
    error_message = "Somebody who was not named gets in."
  }
}

run "prod_is_closed_to_the_outside_but_for_the_api" {
  command = plan

  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = { for name, setting in module.ragbase.promises.ingress : name => setting if setting != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_ALL" } && module.ragbase.promises.callers == ["group:readers@example.com"] && module.ragbase.promises.public_access == "enforced"
    error_message = "Somebody who was not named gets in."
  }
}

run "dev_asks_a_hosted_weaviate_if_it_is_named" {
  command = plan

  state_key = "dev"

  module {
    source = "./envs/dev"
  }

  variables {
    weaviate = { url = "https://weaviate.example.com" }
  }

  assert {
    condition     = module.ragbase.promises.weaviate_url == "https://weaviate.example.com" && module.ragbase.promises.refuses_to_be_destroyed.disk == null
    error_message = "dev pays for a VM that nobody asks."
  }
}

run "prod_without_anybody_to_tell_is_refused" {
  command   = plan
  state_key = "prod"

  module {
    source = "./envs/prod"
  }

  variables {
    alert_emails = []
  }

  expect_failures = [var.alert_emails]
}
