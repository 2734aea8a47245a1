# What Cloud Armor refuses before it costs an instance anything. The language of the conditions is that of
# cloud.google.com/armor/docs/rules-language-reference.
#
# A body's length is what the request declares. One that declares none gets through, and the api counts it as it reads.

locals {
  most_bytes      = 33554432 # Cloud Run takes no more (cloud.google.com/run/quotas)
  history_bytes   = 655360   # what the api takes of a question with its history
  small_bytes     = 65536    # what it takes on most routes. A test compares all with the api's own limits
  takes_files     = "^/(api/documents|api/uploads/[^/]+|internal/callback)$"
  takes_histories = "^/(api/documents|api/uploads/[^/]+|internal/callback|api/query|api/answer|mcp)$" # and files
  declares        = "has(request.headers['content-length']) && int(request.headers['content-length'])"
}

resource "google_compute_security_policy" "this" {
  #checkov:skip=CKV_GCP_73:There is no Java behind it, and a question about Log4j is a question
  project     = var.project
  name        = var.name
  description = "Limits of size and rate in front of the api."
  type        = "CLOUD_ARMOR"

  rule {
    priority    = 1000
    description = "Nothing is larger than Cloud Run takes."
    action      = "deny(403)"
    match {
      expr {
        expression = "${local.declares} > ${local.most_bytes}"
      }
    }
  }

  rule {
    priority    = 1100
    description = "Only a route that takes files gets a large body."
    action      = "deny(403)"
    match {
      expr {
        expression = "${local.declares} > ${local.history_bytes} && !request.path.matches('${local.takes_files}')"
      }
    }
  }

  rule {
    priority    = 1200
    description = "Only a question gets a body for a history."
    action      = "deny(403)"
    match {
      expr {
        expression = "${local.declares} > ${local.small_bytes} && !request.path.matches('${local.takes_histories}')"
      }
    }
  }

  # A ban would lock out an office whose people share an address.
  rule {
    priority    = 2000
    description = "One address asks only so often."
    action      = "throttle"
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"
      rate_limit_threshold {
        count        = var.requests_per_minute
        interval_sec = 60
      }
    }
  }

  # Every policy needs this one. No request comes so far: the throttle decides about all of them.
  rule {
    priority    = 2147483647
    description = "The default"
    action      = "allow"
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
  }
}
