# Which images Weaviate's VM takes: that of Weaviate, and that of its system.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "a_digest_says_which_image_weaviate_is" {
  command = plan

  variables {
    weaviate    = null
    weaviate_vm = { digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111" }
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "semitechnologies/weaviate:1.39.0@sha256:1111111111111111111111111111111111111111111111111111111111111111 ")
    error_message = "The VM takes whatever the tag names."
  }
}

run "a_tag_in_place_of_a_digest_is_refused" {
  command = plan

  variables {
    weaviate    = null
    weaviate_vm = { digest = "1.39.0" }
  }

  expect_failures = [var.weaviate_vm]
}

run "the_system_gets_security_fixes_for_years" {
  command = plan

  variables {
    weaviate    = null
    weaviate_vm = {}
  }

  assert {
    condition     = can(regex("/family/cos-[0-9]+-lts$", module.weaviate[0].promises.boot_image))
    error_message = "The VM has a system that is not supported for long, or always the same image."
  }

  assert {
    condition     = google_monitoring_alert_policy.weaviate_image[0].conditions[0].condition_threshold[0].threshold_value == 3456000
    error_message = "Nobody hears of a VM that was not made again for 40 days."
  }
}
