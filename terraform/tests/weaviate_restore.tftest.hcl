# What brings Weaviate back: a disk from a snapshot, and a look into its VM.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  weaviate    = null
  weaviate_vm = {}
}

run "snapshots_can_be_kept_outside_of_the_region" {
  command = plan

  variables {
    weaviate_vm = { snapshot_location = "eu" }
  }

  assert {
    condition     = tolist(module.weaviate[0].promises.snapshot_place) == tolist(["eu"])
    error_message = "The snapshots are lost with the region."
  }
}

run "a_disk_from_a_snapshot_has_a_name_of_its_own" {
  command = plan

  variables {
    weaviate_vm = { disk = "ragbase-weaviate-data-2" }
  }

  assert {
    condition     = module.weaviate[0].promises.disk_name == "ragbase-weaviate-data-2" && module.weaviate[0].promises.snapshot_disk == "ragbase-weaviate-data-2" && output.restore.weaviate.disk == "ragbase-weaviate-data-2"
    error_message = "The VM, the snapshots or scripts/restore still take the disk before."
  }
}

run "nobody_opens_a_shell_by_default" {
  command = plan

  variables {
    weaviate_vm = { operators = ["group:operators@example.com"] }
  }

  assert {
    condition     = !contains(module.weaviate[0].promises.operators["from"].ports, "22")
    error_message = "There is a way into the VM that nobody asked for."
  }
}

run "operators_may_open_a_shell_if_somebody_asks_for_it" {
  command = plan

  variables {
    weaviate_vm = { operators = ["group:operators@example.com"], ssh = true }
  }

  assert {
    condition     = module.weaviate[0].promises.operators["from"].ranges == toset(["35.235.240.0/20"]) && contains(module.weaviate[0].promises.operators["from"].ports, "22")
    error_message = "Nobody can look into a VM that runs, but does not do what it should."
  }
}

run "a_shell_for_nobody_is_refused" {
  command = plan

  variables {
    weaviate_vm = { ssh = true }
  }

  expect_failures = [var.weaviate_vm]
}
