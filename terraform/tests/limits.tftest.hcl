# What the functions' memory, CPU, time and instances promise.

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
  weaviate = { url = "https://weaviate.example.com" }
}

run "an_environment_is_made_from_nothing" {
  assert {
    condition     = output.bucket == "ragbase-test-ragbase"
    error_message = "The bucket is named for its project."
  }
}

run "an_instance_answers_as_many_requests_as_it_is_sent" {
  command = plan

  assert {
    condition     = alltrue([for function in values(module.function) : tonumber(function.promises.environment["THREADS"]) == function.promises.concurrency])
    error_message = "Requests wait in an instance that has no thread for them."
  }
}

run "a_heavy_instance_holds_a_pdf_for_each_request" {
  command = plan

  assert {
    condition     = tonumber(trimsuffix(module.function["heavy_lane"].promises.memory, "Mi")) >= 512 + module.function["heavy_lane"].promises.concurrency * tonumber(module.function["heavy_lane"].promises.environment["RAGBASE_PDF_MEMORY"])
    error_message = "Two large PDFs at a time end the instance, and not only themselves."
  }
}

run "time_outs_fit_what_is_done_in_them" {
  command = plan

  assert {
    condition     = module.function["heavy_lane"].promises.timeout >= tonumber(module.function["heavy_lane"].promises.environment["RAGBASE_PDF_TIMEOUT"]) + 120
    error_message = "A PDF that takes as long as it may leaves no time for its chunks."
  }

  assert {
    condition     = module.function["fast_lane"].promises.timeout < 120
    error_message = "A worker outlives its lease of 2 minutes."
  }

  assert {
    condition     = module.function["janitor"].promises.timeout < 600 && google_cloud_scheduler_job.janitor.attempt_deadline == "${module.function["janitor"].promises.timeout + 30}s"
    error_message = "The janitor is called again while it works, or given up on too early."
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
    error_message = "Gaps stay open for longer than 10 minutes."
  }
}

run "an_environment_changes_only_the_limits_that_it_names" {
  command = plan

  variables {
    functions = { api = { min_instances = 1 } }
  }

  assert {
    condition     = module.function["api"].promises.minimum == 1 && module.function["api"].promises.maximum == 10 && module.function["router"].promises.minimum == 0
    error_message = "A limit that was not named has changed."
  }
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
