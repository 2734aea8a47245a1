# Which image Weaviate's VM takes.

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
