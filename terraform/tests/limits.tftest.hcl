# The limits of the functions: memory, CPU, time and instances.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "an_instance_has_a_thread_for_each_request" {
  command = plan

  assert {
    condition     = alltrue([for function in values(module.function) : tonumber(function.promises.environment["THREADS"]) == function.promises.concurrency])
    error_message = "Requests wait in an instance without a free thread."
  }
}

run "a_heavy_instance_has_memory_for_a_pdf_for_each_request" {
  command = plan

  assert {
    condition     = tonumber(trimsuffix(module.function["heavy_lane"].promises.memory, "Mi")) >= 512 + module.function["heavy_lane"].promises.concurrency * tonumber(module.function["heavy_lane"].promises.environment["RAGBASE_EXTRACT_MEMORY"])
    error_message = "Two large PDFs at the same time crash the whole instance."
  }
}

run "a_long_pdf_is_read_in_several_parts_at_once" {
  command = plan

  assert {
    condition     = tonumber(module.function["heavy_lane"].promises.cpu) >= module.function["heavy_lane"].promises.concurrency
    error_message = "Two parts share a processor: OCR keeps one busy, so each takes twice as long as its time limit assumes."
  }

  assert {
    condition     = module.function["heavy_lane"].promises.maximum * module.function["heavy_lane"].promises.concurrency >= 4
    error_message = "The parts of a long document wait for one another."
  }
}

run "timeouts_fit_the_work" {
  command = plan

  assert {
    condition     = module.function["heavy_lane"].promises.timeout >= tonumber(module.function["heavy_lane"].promises.environment["RAGBASE_EXTRACT_TIMEOUT"]) + 120
    error_message = "A PDF that needs all its parsing time leaves no time for its chunks."
  }

  assert {
    condition     = module.function["fast_lane"].promises.timeout < 120
    error_message = "A worker can run longer than its lease of 2 minutes."
  }

  assert {
    condition     = module.function["janitor"].promises.timeout < 600 && google_cloud_scheduler_job.janitor.attempt_deadline == "${module.function["janitor"].promises.timeout + 30}s"
    error_message = "The janitor is called again while it works, or the scheduler stops waiting too early."
  }
}

run "one_janitor_at_a_time_every_ten_minutes" {
  command = plan

  assert {
    condition     = module.function["janitor"].promises.maximum == 1 && module.function["janitor"].promises.concurrency == 1
    error_message = "Two janitors do the same work twice."
  }

  assert {
    condition     = google_cloud_scheduler_job.janitor.schedule == "*/10 * * * *" && google_cloud_scheduler_job.janitor.http_target[0].uri == module.function["janitor"].uri
    error_message = "The janitor does not run every 10 minutes."
  }
}

run "an_environment_changes_only_the_limits_that_it_names" {
  command = plan

  variables {
    functions = { api = { min_instances = 1 } }
  }

  assert {
    condition     = module.function["api"].promises.minimum == 1 && module.function["api"].promises.maximum == 4 && module.function["router"].promises.minimum == 0
    error_message = "A limit changed that the environment does not name."
  }
}

run "more_instances_than_the_quota_are_refused" {
  command = plan

  variables {
    functions = { api = { max_instances = 5 } }
  }

  expect_failures = [var.quota]
}

run "more_memory_than_the_quota_is_refused" {
  command = plan

  variables {
    functions = { api = { memory_mib = 4096 }, fast_lane = { memory_mib = 4096 } }
  }

  expect_failures = [var.quota]
}

run "a_larger_quota_allows_more_instances" {
  command = plan

  variables {
    quota     = { cpu = 80, memory_gib = 100 }
    functions = { api = { max_instances = 20 } }
  }

  assert {
    condition     = module.function["api"].promises.maximum == 20
    error_message = "A project cannot grow, although Google allows it."
  }
}

run "more_documents_at_once_than_the_embedding_service_takes_are_reported" {
  command = plan

  variables {
    quota     = { cpu = 100, memory_gib = 200 }
    functions = { fast_lane = { max_instances = 30 } }
  }

  expect_failures = [check.embedding_rate]
}

run "a_higher_rate_feeds_more_documents" {
  command = plan

  variables {
    quota     = { cpu = 100, memory_gib = 200 }
    functions = { fast_lane = { max_instances = 30 } }
    settings  = { cohere_rate = "10000" }
  }

  assert {
    condition     = module.function["fast_lane"].promises.environment["RAGBASE_COHERE_RATE"] == "10000"
    error_message = "The lanes do not know the rate that their number was checked against."
  }
}

run "a_region_where_a_new_project_may_not_build_is_reported" {
  command = plan

  variables {
    region = "us-east1"
  }

  expect_failures = [check.build_region]
}

run "limits_of_an_unknown_function_are_refused" {
  command = plan

  variables {
    functions = { rooter = { max_instances = 3 } }
  }

  expect_failures = [var.functions]
}

run "half_a_cpu_for_many_requests_is_refused" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    project     = "ragbase-test"
    region      = "europe-west1"
    name        = "ragbase-function"
    entry_point = "function"
    account     = "function@example.com"
    archive     = { bucket = "archives", path = "function.zip", sha256 = sha256("function") }
    build       = { account = "builder", repository = "repository" }
    limits      = { memory_mib = 512, cpu = 0.5, timeout = 60, concurrency = 8, max_instances = 1 }
  }

  expect_failures = [var.limits]
}

run "functions_framework_logs_by_no_handler_of_its_own" {
  command = plan

  assert {
    condition     = alltrue([for function in values(module.function) : lookup(function.promises.environment, "LOG_EXECUTION_ID", "") == "false"])
    error_message = "Google sets LOG_EXECUTION_ID to true where nobody sets it, and each log entry comes twice."
  }
}
