# dev and prod, and the differences between them.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  weaviate     = null
  alert_emails = ["oncall@example.com"]
  budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
  api_callers  = ["group:readers@example.com"]
}

run "prod_protects_its_data" {
  command = plan

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "PREVENT", database = "PREVENT", disk = "PREVENT" }
    error_message = "One command destroys data."
  }

  assert {
    condition     = module.ragbase.promises.service_locks == { database = "DELETE_PROTECTION_ENABLED", secrets = true, full_buckets = true }
    error_message = "A service has no lock for its data."
  }

  assert {
    condition     = module.ragbase.promises.can_be_had_back.database_to_the_minute == "POINT_IN_TIME_RECOVERY_ENABLED" && module.ragbase.promises.can_be_had_back.deleted_objects == 30 * 86400
    error_message = "Data that was deleted by mistake cannot be restored."
  }
}

run "prod_can_be_destroyed_only_without_protection" {
  command = plan

  module {
    source = "./envs/prod"
  }

  variables {
    protect = false
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "DELETE", database = "DELETE", disk = "DELETE" }
    error_message = "prod can never be destroyed."
  }
}

run "dev_can_be_destroyed" {
  command = plan

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = module.ragbase.promises.refuses_to_be_destroyed == { bucket = "DELETE", database = "DELETE", disk = "DELETE" } && module.ragbase.promises.service_locks == { database = "DELETE_PROTECTION_DISABLED", secrets = false, full_buckets = false }
    error_message = "An environment for experiments cannot be destroyed."
  }
}

run "dev_runs_nothing_without_requests" {
  command = plan

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = alltrue([for limits in values(module.ragbase.promises.instances) : limits.minimum == 0 && limits.maximum <= 10])
    error_message = "An instance runs without requests, or too many can start."
  }

  assert {
    condition     = module.ragbase.promises.budget == null && module.ragbase.promises.can_be_had_back.database_to_the_minute == "POINT_IN_TIME_RECOVERY_DISABLED"
    error_message = "dev has a budget, or pays for restores to the minute."
  }
}

run "prod_answers_without_a_cold_start" {
  command = plan

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.instances.api.minimum == 1 && module.ragbase.promises.instances.api.maximum == 50
    error_message = "The first query in the morning waits for a cold start."
  }

  assert {
    condition     = module.ragbase.promises.instances.janitor.maximum == 1
    error_message = "Two janitors do the same work twice."
  }
}

run "prod_alerts_somebody_and_has_a_budget" {
  command = plan

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = module.ragbase.promises.alerted == ["oncall@example.com"] && module.ragbase.promises.budget == "300"
    error_message = "Nobody gets the alerts, or there is no budget."
  }
}

run "dev_is_closed_to_the_outside_except_for_the_api" {
  command = plan

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = { for name, setting in module.ragbase.promises.ingress : name => setting if setting != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_ALL" } && module.ragbase.promises.callers == ["group:readers@example.com"] && module.ragbase.promises.public_access == "enforced"
    error_message = "Somebody outside the list has access."
  }
}

run "prod_is_closed_to_the_outside_except_for_the_api" {
  command = plan

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = { for name, setting in module.ragbase.promises.ingress : name => setting if setting != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_ALL" } && module.ragbase.promises.callers == ["group:readers@example.com"] && module.ragbase.promises.public_access == "enforced"
    error_message = "Somebody outside the list has access."
  }
}

run "a_public_prod_asks_everybody_to_sign_in" {
  command = plan

  module {
    source = "./envs/prod"
  }

  variables {
    api_public = true
  }

  assert {
    condition     = module.ragbase.promises.callers == ["allUsers"] && module.ragbase.promises.sign_in == "required"
    error_message = "Everybody can read and change the documents of prod."
  }
}

run "dev_uses_a_hosted_weaviate_if_it_is_set" {
  command = plan

  module {
    source = "./envs/dev"
  }

  variables {
    weaviate = { url = "https://weaviate.example.com" }
  }

  assert {
    condition     = module.ragbase.promises.weaviate_url == "https://weaviate.example.com" && module.ragbase.promises.refuses_to_be_destroyed.disk == null
    error_message = "dev pays for a VM that nothing uses."
  }
}

run "prod_without_an_address_for_alerts_is_refused" {
  command = plan
  module {
    source = "./envs/prod"
  }

  variables {
    alert_emails = []
  }

  expect_failures = [var.alert_emails]
}
