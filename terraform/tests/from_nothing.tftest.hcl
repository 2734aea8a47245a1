# Environments that are made from nothing. As with Google, Terraform knows computed values only after the apply.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  alert_emails = ["oncall@example.com"]
  budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
}

run "an_environment_is_made_from_nothing" {
  assert {
    condition     = output.bucket == "ragbase-test-ragbase"
    error_message = "The bucket does not have the name of its project."
  }
}

run "dev_is_made_from_nothing" {
  state_key = "dev"

  variables {
    weaviate = null
  }

  module {
    source = "./envs/dev"
  }

  assert {
    condition     = output.bucket == "ragbase-test-ragbase" && output.endpoint != ""
    error_message = "There is no bucket for uploads, or no endpoint for queries."
  }
  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "gs://ragbase-test-ragbase/") && strcontains(output.how_to_upload_and_ask, "${output.endpoint}/api/query")
    error_message = "The commands for the first upload and the first query are wrong."
  }
}

run "prod_is_made_from_nothing" {
  state_key = "prod"

  variables {
    weaviate = null
  }

  module {
    source = "./envs/prod"
  }

  assert {
    condition     = output.bucket == "ragbase-test-ragbase" && output.endpoint != ""
    error_message = "There is no bucket for uploads, or no endpoint for queries."
  }
  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "gs://ragbase-test-ragbase/") && strcontains(output.how_to_upload_and_ask, "${output.endpoint}/api/query")
    error_message = "The commands for the first upload and the first query are wrong."
  }
}
