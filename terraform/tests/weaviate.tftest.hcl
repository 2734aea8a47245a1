# Weaviate, hosted or on a VM.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  weaviate    = null
  weaviate_vm = {}
}

run "weaviate_has_no_public_address" {
  command = plan

  assert {
    condition     = length(module.weaviate[0].promises.public_addresses) == 0
    error_message = "The internet can reach the VM."
  }

  assert {
    condition     = startswith(module.function["api"].promises.environment["WEAVIATE_URL"], "http://10.") && startswith(module.function["api"].promises.environment["WEAVIATE_GRPC_URL"], "http://10.")
    error_message = "The functions use a public address of Weaviate."
  }
}

run "only_the_functions_reach_weaviate" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.from == toset(["10.61.0.0/23"]) && toset(module.weaviate[0].promises.ports) == toset(["8080", "50051"])
    error_message = "The firewall allows more than HTTP and gRPC from the functions."
  }

  assert {
    condition     = module.weaviate[0].promises.to == toset([module.weaviate[0].promises.account])
    error_message = "The firewall rule is for something other than the VM."
  }

  assert {
    condition     = module.weaviate[0].promises.denies == ["all"]
    error_message = "There is no rule that refuses all other requests."
  }
}

run "functions_that_call_weaviate_are_in_its_network" {
  command = plan

  assert {
    condition     = toset([for name, function in module.function : name if length(function.promises.networks) > 0]) == toset(["fast_lane", "heavy_lane", "api", "janitor"])
    error_message = "A function that calls Weaviate cannot reach it, or another function can."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : function.promises.egress == "VPC_EGRESS_PRIVATE_RANGES_ONLY" if length(function.promises.networks) > 0])
    error_message = "Requests to Google and Cohere need NAT."
  }
}

run "a_new_instance_waits_for_its_way_to_weaviate" {
  command = plan

  assert {
    condition     = { for name, function in module.function : name => function.promises.environment["RAGBASE_START_WAIT"] if contains(keys(function.promises.environment), "RAGBASE_START_WAIT") } == { api = "45", fast_lane = "90", heavy_lane = "90", janitor = "90" }
    error_message = "A function takes requests before it can reach Weaviate, or waits for a Weaviate that it does not call."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : tonumber(try(function.promises.environment["RAGBASE_START_WAIT"], "0")) < min(240, function.promises.timeout)])
    error_message = "A start takes longer than the startup probe or the waiting request."
  }
}

run "nobody_waits_for_a_hosted_weaviate" {
  command = plan

  variables {
    weaviate    = { url = "https://weaviate.example.com" }
    weaviate_vm = null
  }

  assert {
    condition     = !anytrue([for function in values(module.function) : contains(keys(function.promises.environment), "RAGBASE_START_WAIT")])
    error_message = "A function waits although it needs no private network."
  }
}

run "weaviate_requires_a_key" {
  command = plan

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false") && strcontains(module.weaviate[0].promises.start, "AUTHENTICATION_APIKEY_ENABLED=true")
    error_message = "Weaviate answers without a key."
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "secrets/ragbase-weaviate-api-key/versions/$1:access") && strcontains(module.weaviate[0].promises.start, "version latest")
    error_message = "Weaviate and the functions have different keys."
  }

  assert {
    condition     = module.weaviate[0].promises.key == "ragbase-weaviate-api-key" && module.weaviate[0].promises.key_reader == "serviceAccount:${module.weaviate[0].promises.account}" && module.weaviate[0].promises.runs_as == module.weaviate[0].promises.account
    error_message = "The VM may not read its key, or has another account or secret."
  }

  assert {
    condition     = toset(module.weaviate[0].promises.roles) == toset(["roles/artifactregistry.reader", "roles/logging.logWriter", "roles/monitoring.metricWriter"])
    error_message = "The VM has more or fewer rights than to get its image and to write logs and metrics."
  }
}

run "the_data_of_weaviate_outlives_its_vm" {
  command = plan

  assert {
    condition     = one(module.weaviate[0].promises.data_disk) == module.weaviate[0].promises.disk && strcontains(module.weaviate[0].promises.start, "--volume /mnt/disks/weaviate:/var/lib/weaviate")
    error_message = "The data is on the boot disk, which is deleted with the VM."
  }

  assert {
    condition     = module.weaviate[0].promises.disk_deletion == "PREVENT" && module.weaviate[0].promises.last_snapshot
    error_message = "One command deletes the disk, or no snapshot remains."
  }
}

run "there_are_two_snapshots_a_day_for_a_week" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.snapshot_hours == 12 && module.weaviate[0].promises.snapshot_days == 7 && module.weaviate[0].promises.snapshot_disk == "ragbase-weaviate-data"
    error_message = "The data disk has no snapshots, or keeps them for another time."
  }
}

run "a_day_without_a_snapshot_is_told" {
  command = plan

  assert {
    condition     = contains(keys(google_monitoring_alert_policy.this), "no_snapshot_of_weaviate") && strcontains(google_logging_metric.snapshots[0].filter, "ScheduledSnapshots")
    error_message = "Nobody hears of it when no snapshot is taken for a day."
  }
}

run "weaviate_tells_before_it_is_full" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.guest_metrics == "true"
    error_message = "The VM does not send how full its disk and memory are."
  }

  assert {
    condition     = contains(keys(google_monitoring_alert_policy.this), "disk_of_weaviate") && contains(keys(google_monitoring_alert_policy.this), "memory_of_weaviate") && alltrue([for of in values(local.full) : of.above < 0.9])
    error_message = "Weaviate becomes read-only at 90 % of its disk, and nobody hears of it before."
  }
}

run "a_weaviate_that_hangs_is_restarted" {
  command = plan

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "elif answers ready; then") && strcontains(module.weaviate[0].promises.start, "systemctl start weaviate.service weaviate-watch.service")
    error_message = "Only a Weaviate that has ended is started again."
  }
}

run "nobody_reaches_weaviate_as_an_operator_by_default" {
  command = plan

  assert {
    condition     = length(module.weaviate[0].promises.operators) == 0 && length(module.weaviate[0].promises.tunnels) == 0
    error_message = "There is a way to Weaviate that nobody asked for."
  }
}

run "operators_reach_weaviate_only_through_identity_aware_proxy" {
  command = plan

  variables {
    weaviate_vm = { operators = ["group:operators@example.com"] }
  }

  assert {
    condition     = module.weaviate[0].promises.operators["from"].ranges == toset(["35.235.240.0/20"]) && toset(module.weaviate[0].promises.operators["from"].ports) == toset(["8080", "50051"])
    error_message = "Operators come from elsewhere, or reach more than Weaviate."
  }

  assert {
    condition     = module.weaviate[0].promises.tunnels == ["group:operators@example.com"]
    error_message = "Somebody else may open a tunnel."
  }
}

run "weaviate_is_installed_without_the_internet" {
  command = plan

  assert {
    condition     = module.weaviate[0].promises.mode == "REMOTE_REPOSITORY" && module.weaviate[0].promises.google_access
    error_message = "A VM without a public address cannot get its image."
  }

  assert {
    condition     = strcontains(module.weaviate[0].promises.start, "europe-west1-docker.pkg.dev/ragbase-test/ragbase-weaviate/semitechnologies/weaviate:1.39.0")
    error_message = "The image has another version than the tested one."
  }

  assert {
    condition     = module.weaviate[0].promises.secure_boot
    error_message = "The VM could start modified software."
  }
}

run "two_weaviates_are_refused" {
  command = plan

  variables {
    weaviate = { url = "https://weaviate.example.com" }
  }

  expect_failures = [var.weaviate]
}
