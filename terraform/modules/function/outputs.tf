output "service" {
  description = "The Cloud Run service. It has the same name as the function."
  value       = google_cloudfunctions2_function.this.name
}

output "uri" {
  description = "The run.app URL of the function."
  value       = google_cloudfunctions2_function.this.service_config[0].uri
}

output "promises" {
  description = "The values that the tests check."
  value = {
    entry_point = google_cloudfunctions2_function.this.build_config[0].entry_point
    runtime     = google_cloudfunctions2_function.this.build_config[0].runtime
    builder     = google_cloudfunctions2_function.this.build_config[0].service_account
    archive     = google_cloudfunctions2_function.this.build_config[0].source[0].storage_source[0].object
    account     = google_cloudfunctions2_function.this.service_config[0].service_account_email
    ingress     = google_cloudfunctions2_function.this.service_config[0].ingress_settings
    memory      = google_cloudfunctions2_function.this.service_config[0].available_memory
    cpu         = google_cloudfunctions2_function.this.service_config[0].available_cpu
    timeout     = google_cloudfunctions2_function.this.service_config[0].timeout_seconds
    concurrency = google_cloudfunctions2_function.this.service_config[0].max_instance_request_concurrency
    minimum     = google_cloudfunctions2_function.this.service_config[0].min_instance_count
    maximum     = google_cloudfunctions2_function.this.service_config[0].max_instance_count
    environment = google_cloudfunctions2_function.this.service_config[0].environment_variables
    secrets     = { for one in google_cloudfunctions2_function.this.service_config[0].secret_environment_variables : one.key => one.secret }
    egress      = google_cloudfunctions2_function.this.service_config[0].direct_vpc_egress
    networks    = google_cloudfunctions2_function.this.service_config[0].direct_vpc_network_interface[*].network
  }
}
