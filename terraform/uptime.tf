# Somebody asks the api from outside whether it works. Without a request, nobody would notice that it cannot be reached.

locals {
  # The check calls the api every 5 minutes. It costs some 10 cents a month where no instance runs all the time, so there is
  # none only where nobody would hear of it either.
  checks_uptime = local.functions["api"].min_instances > 0 || length(var.alert_emails) > 0
  # The check cannot come through Identity-Aware Proxy. Cloud Run counts it as a request of the project, also where it lets no
  # other through (https://cloud.google.com/run/docs/securing/ingress).
  checked_url = local.uses_iap ? module.function["api"].uri : local.endpoint
  monitoring  = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-monitoring-notification.iam.gserviceaccount.com"
}

resource "google_monitoring_uptime_check_config" "api" {
  count            = local.checks_uptime ? 1 : 0
  project          = var.project
  display_name     = "${var.name}: the api answers"
  period           = "300s"
  timeout          = "30s"
  checker_type     = "STATIC_IP_CHECKERS"
  selected_regions = ["EUROPE", "USA", "ASIA_PACIFIC"]
  user_labels      = var.labels

  http_check {
    path         = "/ready" # it asks Firestore and Weaviate, too
    port         = 443
    use_ssl      = true
    validate_ssl = true
    # Monitoring's own account asks with its token, as the api lets no stranger through.
    service_agent_authentication {
      type = "OIDC_TOKEN"
    }
  }
  monitored_resource {
    type   = "uptime_url"
    labels = { project_id = var.project, host = trimprefix(local.checked_url, "https://") }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.monitoring]
}

resource "google_cloud_run_v2_service_iam_member" "monitoring" {
  count    = local.checks_uptime ? 1 : 0
  project  = var.project
  location = var.region
  name     = module.function["api"].service
  role     = "roles/run.invoker"
  member   = local.monitoring
}

resource "google_monitoring_alert_policy" "uptime" {
  count                 = local.checks_uptime ? 1 : 0
  project               = var.project
  display_name          = "${var.name}: the api cannot be reached"
  severity              = "CRITICAL"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = "two regions get no answer"
    condition_threshold {
      filter          = "resource.type=\"uptime_url\" AND metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" AND metric.labels.check_id=\"${google_monitoring_uptime_check_config.api[0].uptime_check_id}\""
      comparison      = "COMPARISON_GT"
      threshold_value = 1
      duration        = "300s"
      aggregations {
        alignment_period     = "1200s"
        per_series_aligner   = "ALIGN_NEXT_OLDER"
        cross_series_reducer = "REDUCE_COUNT_FALSE"
        group_by_fields      = ["resource.label.host"]
      }
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }
  documentation {
    content   = "The api does not answer GET /ready with 200. Its log says why: a revision that does not start, no instance left (max_instances), or Weaviate that it cannot reach."
    mime_type = "text/markdown"
  }
}
