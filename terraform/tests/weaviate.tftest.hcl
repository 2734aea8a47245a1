# What Weaviate promises, hosted or on a VM.

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

run "weaviate_has_no_public_address" {
  command = plan

  assert {
    condition     = length(module.weaviate[0].promises.public_addresses) == 0
    error_message = "The VM can be reached from the internet."
  }

  assert {
    condition     = startswith(module.function["api"].promises.environment["WEAVIATE_URL"], "http://10.") && startswith(module.function["api"].promises.environment["WEAVIATE_GRPC_URL"], "http://10.")
    error_message = "The functions take a public way to Weaviate."
  }
}

run "only_the_functions_reach_weaviate" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.from == toset(["10.61.0.0/23"]) && toset(module.weaviate[0].promises.ports) == toset(["8080", "50051"])
    error_message = "More is let in than the functions' HTTP and gRPC."
  }

  assert {
    condition     = module.weaviate[0].promises.to == toset([module.weaviate[0].promises.account])
    error_message = "Something else in the network is reached."
  }

  assert {
    condition     = module.weaviate[0].promises.denies == ["all"]
    error_message = "What else knocks is not noted."
  }
}

run "functions_that_ask_weaviate_are_in_its_network" {
  command = plan

  assert {
    condition     = toset([for name, function in module.function : name if length(function.promises.networks) > 0]) == toset(["fast_lane", "heavy_lane", "api", "janitor"])
    error_message = "A function does not reach Weaviate, or one that has no business there does."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.egress == "VPC_EGRESS_PRIVATE_RANGES_ONLY" if length(function.promises.networks) > 0])
    error_message = "Requests to Google and Cohere would need a NAT."
  }
}

run "weaviate_wants_a_key" {
  command = plan

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false") && strcontains(module.weaviate[0].promises.start, "AUTHENTICATION_APIKEY_ENABLED=true")
    error_message = "Weaviate answers without a key."
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "secrets/ragbase-weaviate-api-key/versions/latest:access")
    error_message = "Weaviate takes another key than the functions have."
  }

  assert {
    condition     = module.weaviate[0].promises.key == "ragbase-weaviate-api-key" && module.weaviate[0].promises.key_reader == "serviceAccount:${module.weaviate[0].promises.account}" && module.weaviate[0].promises.runs_as == module.weaviate[0].promises.account
    error_message = "The VM may not read its key, or may read another one."
  }

  assert {
    condition     = toset(module.weaviate[0].promises.roles) == toset(["roles/artifactregistry.reader", "roles/logging.logWriter", "roles/monitoring.metricWriter"])
    error_message = "The VM may do more than get its image and tell how it is, or less."
  }
}

run "what_weaviate_knows_outlives_its_vm" {
  command = plan

  assert {
    condition     = one(module.weaviate[0].promises.data_disk) == module.weaviate[0].promises.disk && strcontains(module.weaviate[0].promises.start, "--volume /mnt/disks/weaviate:/var/lib/weaviate")
    error_message = "The data is on the VM's own disk, which goes with it."
  }

  assert {
    condition     = module.weaviate[0].promises.disk_deletion == "PREVENT" && module.weaviate[0].promises.last_snapshot
    error_message = "The disk goes with one command, and leaves nothing."
  }
}

run "there_is_a_snapshot_of_every_night_of_the_week" {
  command = plan

  assert {
    condition     = toset(module.weaviate[0].promises.nights) == toset([for day in range(7) : "0 3 * * ${day}"])
    error_message = "A night has no snapshot."
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.snapshot_scope, "/disks/ragbase-weaviate-data") && strcontains(module.weaviate[0].promises.snapshot_scope, "/snapshots/ragbase-weaviate-night-") && !contains(module.weaviate[0].promises.snapshot_rights, "compute.disks.delete")
    error_message = "The account of the snapshots may touch other disks."
  }
}

run "weaviate_comes_without_the_internet" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.mode == "REMOTE_REPOSITORY" && module.weaviate[0].promises.google_access
    error_message = "A VM without a public address cannot get its image."
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "europe-west1-docker.pkg.dev/ragbase-test/ragbase-weaviate/semitechnologies/weaviate:1.39.0")
    error_message = "The image is not of the version that was tested."
  }

  assert {
    condition     = module.weaviate[0].promises.secure_boot
    error_message = "The VM starts what was tampered with."
  }
}

run "a_hosted_weaviate_needs_no_vm" {
  command = plan

  variables {
    weaviate    = { url = "https://weaviate.example.com" }
    weaviate_vm = null
  }

  assert {
    condition     = length(module.weaviate) == 0 && alltrue([for function in values(module.function) : length(function.promises.networks) == 0])
    error_message = "A VM runs that nobody asks."
  }

  assert {
    condition     = module.function["api"].promises.environment["WEAVIATE_URL"] == "https://weaviate.example.com" && !contains(keys(module.function["router"].promises.environment), "WEAVIATE_URL")
    error_message = "The api asks another Weaviate."
  }
}

run "two_weaviates_are_refused" {
  command = plan

  variables {
    weaviate = { url = "https://weaviate.example.com" }
  }

  expect_failures = [var.weaviate]
}

run "no_weaviate_is_refused" {
  command = plan

  variables {
    weaviate_vm = null
  }

  expect_failures = [var.weaviate]
}

run "a_key_in_clear_over_the_internet_is_refused" {
  command = plan

  variables {
    weaviate    = { url = "http://weaviate.example.com" }
    weaviate_vm = null
  }

  expect_failures = [var.weaviate]
}
