# What dev and prod refuse. What they have is in tests/terraform/test_environments.py, which reads their plans.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "prod_without_an_address_for_alerts_is_refused" {
  command = plan
  module {
    source = "./envs/prod"
  }

  variables {
    weaviate     = null
    alert_emails = []
    budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
  }

  expect_failures = [var.alert_emails]
}
