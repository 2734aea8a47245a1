# A Weaviate that is not of this project: Weaviate Cloud, or a cluster that a private network reaches.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "a_hosted_weaviate_needs_no_vm" {
  command = plan

  variables {
    weaviate = { url = "https://weaviate.example.com" }
  }

  assert {
    condition     = length(module.weaviate) == 0 && alltrue([for function in values(module.function) : length(function.promises.networks) == 0])
    error_message = "A VM runs that nothing uses."
  }

  assert {
    condition     = module.function["api"].promises.environment["WEAVIATE_URL"] == "https://weaviate.example.com" && !contains(keys(module.function["router"].promises.environment), "WEAVIATE_URL")
    error_message = "The api calls another Weaviate, or the router knows one."
  }
}

run "no_weaviate_is_refused" {
  command = plan

  variables {
    weaviate = null
  }

  expect_failures = [var.weaviate]
}

run "a_hosted_weaviate_without_https_is_refused" {
  command = plan

  variables {
    weaviate = { url = "http://weaviate.example.com" }
  }

  expect_failures = [var.weaviate]
}

run "weaviate_cloud_needs_only_its_address" {
  command = plan

  variables {
    weaviate = { url = "https://abc.c0.europe-west3.gcp.weaviate.cloud" }
  }

  assert {
    condition     = module.function["api"].promises.environment["WEAVIATE_GRPC_URL"] == "https://grpc-abc.c0.europe-west3.gcp.weaviate.cloud:443"
    error_message = "The functions call gRPC at port 50051, where Weaviate Cloud has none."
  }

  assert {
    condition     = length(module.weaviate) == 0 && length([for name in keys(google_monitoring_alert_policy.this) : name if endswith(name, "_of_weaviate")]) == 0
    error_message = "Somebody pays for a VM, or is called because of its disk."
  }
}

run "a_replicated_weaviate_is_reached_through_its_network" {
  command = plan

  variables {
    weaviate = { url = "http://10.20.0.5:8080", grpc_url = "http://10.20.0.6:50051", network = { network = "cluster", subnetwork = "functions" } }
  }

  assert {
    condition     = { for name, function in module.function : name => one(function.promises.networks) if length(function.promises.networks) > 0 } == { for name in ["api", "fast_lane", "heavy_lane", "janitor"] : name => "cluster" }
    error_message = "A function that calls Weaviate cannot reach it, or another function can."
  }

  assert {
    condition     = module.function["janitor"].promises.environment["WEAVIATE_URL"] == "http://10.20.0.5:8080" && module.function["janitor"].promises.environment["WEAVIATE_GRPC_URL"] == "http://10.20.0.6:50051"
    error_message = "The functions call another Weaviate."
  }
}

run "a_key_never_crosses_the_internet_in_clear" {
  command = plan

  variables {
    weaviate = { url = "https://weaviate.example.com", grpc_url = "http://weaviate.example.com:50051" }
  }

  expect_failures = [var.weaviate]
}
