output "address" {
  description = "The address to which the domain must lead."
  value       = google_compute_global_address.this.address
}

output "promises" {
  description = "The values that the tests check."
  value = {
    group        = google_compute_region_network_endpoint_group.this.cloud_run[0].service
    kind         = google_compute_region_network_endpoint_group.this.network_endpoint_type
    iap          = [for iap in google_compute_backend_service.this.iap : iap.enabled]
    iap_members  = { for member in values(google_iap_web_backend_service_iam_member.this) : member.member => member.role }
    guard        = google_compute_backend_service.this.security_policy == google_compute_security_policy.this.id
    rules        = { for rule in google_compute_security_policy.this.rule : rule.priority => rule }
    domains      = google_compute_managed_ssl_certificate.this.managed[0].domains
    least_tls    = google_compute_ssl_policy.this.min_tls_version
    uses_policy  = google_compute_target_https_proxy.this.ssl_policy == google_compute_ssl_policy.this.id
    leads_to     = google_compute_url_map.https.default_service == google_compute_backend_service.this.id
    plain        = google_compute_url_map.http.default_url_redirect[0]
    plain_target = google_compute_target_http_proxy.this.url_map == google_compute_url_map.http.id
    ports = {
      (google_compute_global_forwarding_rule.https.port_range) = google_compute_global_forwarding_rule.https.target == google_compute_target_https_proxy.this.id ? "https" : "another"
      (google_compute_global_forwarding_rule.http.port_range)  = google_compute_global_forwarding_rule.http.target == google_compute_target_http_proxy.this.id ? "http" : "another"
    }
  }
}
