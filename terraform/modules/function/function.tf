resource "google_cloudfunctions2_function" "this" {
  project  = var.project
  location = var.region
  name     = var.name
  labels   = var.labels

  build_config {
    runtime           = "python312"
    entry_point       = var.entry_point
    service_account   = var.build.account
    docker_repository = var.build.repository
    source {
      storage_source {
        bucket = google_storage_bucket_object.archive.bucket
        object = google_storage_bucket_object.archive.name
      }
    }
    # The build compiles the sources (`compileall` in the buildpack), and then gives all files the same time. Bytecode
    # that goes by the time of its source would be out of date, and every cold start would compile again. With this
    # variable, Python makes bytecode that goes by the source's hash (py_compile, PEP 552).
    environment_variables = { SOURCE_DATE_EPOCH = "315532801" }

    # Google installs security fixes of Python without a deployment.
    automatic_update_policy {}
  }

  service_config {
    service_account_email            = var.account
    ingress_settings                 = var.ingress
    available_memory                 = "${var.limits.memory_mib}Mi"
    available_cpu                    = tostring(var.limits.cpu)
    timeout_seconds                  = var.limits.timeout
    max_instance_request_concurrency = var.limits.concurrency
    min_instance_count               = var.limits.min_instances
    max_instance_count               = var.limits.max_instances
    all_traffic_on_latest_revision   = true

    # By default functions-framework has 4 threads for each CPU. Further requests to the instance would wait for a thread.
    # Google sets LOG_EXECUTION_ID to true if nobody does, and functions-framework then logs by a handler of its own, too.
    environment_variables = merge(var.environment, { THREADS = tostring(var.limits.concurrency), LOG_EXECUTION_ID = "false" })

    dynamic "secret_environment_variables" {
      for_each = var.secrets
      content {
        project_id = var.project
        key        = secret_environment_variables.key
        secret     = secret_environment_variables.value
        version    = "latest" # read when an instance starts, so a new version takes effect after the next deployment
      }
    }

    # Only requests to private addresses use the network. Those to Google, Vertex AI among them, and to vendors do not, so there is no need for NAT.
    direct_vpc_egress = var.network == null ? null : "VPC_EGRESS_PRIVATE_RANGES_ONLY"
    dynamic "direct_vpc_network_interface" {
      for_each = var.network == null ? [] : [var.network]
      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }
  }
}
