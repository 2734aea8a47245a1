# The dashboard. It shows whether documents get processed and queries get answers.

locals {
  logged = { for name, metric in google_logging_metric.this : name => "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${metric.name}\"" }
  api    = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${module.function["api"].service}\""

  # `filter` selects what the chart shows. It draws one line for each value of `by`.
  charts = [
    { title = "Documents finished", filter = local.logged.finished, aligner = "ALIGN_DELTA", by = [] },
    { title = "Documents failed", filter = local.logged.failed, aligner = "ALIGN_DELTA", by = [] },
    { title = "Dead letters", filter = local.logged.dead_letters, aligner = "ALIGN_DELTA", by = [] },
    { title = "Janitor's findings", filter = local.logged.janitor_findings, aligner = "ALIGN_DELTA", by = [] },
    { title = "Sources that failed", filter = local.logged.sources_failed, aligner = "ALIGN_DELTA", by = [] },
    { title = "Oldest waiting message (s)", filter = "${local.of_subscriptions} AND metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\"", aligner = "ALIGN_MAX", by = ["resource.label.subscription_id"] },
    { title = "Waiting messages", filter = "${local.of_subscriptions} AND metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\"", aligner = "ALIGN_MAX", by = ["resource.label.subscription_id"] },
    { title = "Requests by answer", filter = "${local.of_services} AND metric.type=\"run.googleapis.com/request_count\"", aligner = "ALIGN_DELTA", by = ["resource.label.service_name", "metric.label.response_code_class"] },
    { title = "Queries, 95th percentile (ms)", filter = "${local.api} AND metric.type=\"run.googleapis.com/request_latencies\"", aligner = "ALIGN_PERCENTILE_95", by = [] },
    { title = "Instances", filter = "${local.of_services} AND metric.type=\"run.googleapis.com/container/instance_count\"", aligner = "ALIGN_MAX", by = ["resource.label.service_name"] },
    { title = "Memory in use", filter = "${local.of_services} AND metric.type=\"run.googleapis.com/container/memory/utilizations\"", aligner = "ALIGN_PERCENTILE_99", by = ["resource.label.service_name"] },
  ]
  # Google leaves zero and empty values out of what it stores. With them here, each plan would show a change.
  places = [for place, _ in local.charts : { for axis, at in { xPos = place % 2 * 6, yPos = floor(place / 2) * 4 } : axis => at if at > 0 }]

  # Monitoring filters do not support =~. Only log filters do.
  of_services      = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=starts_with(\"${var.name}-\")"
  of_subscriptions = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=starts_with(\"${var.name}-\")"
}

resource "google_monitoring_dashboard" "this" {
  project = var.project
  dashboard_json = jsonencode({
    displayName = var.name
    mosaicLayout = {
      columns = 12
      tiles = [
        for place, chart in local.charts : merge(local.places[place], {
          width  = 6
          height = 4
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{
                plotType = "LINE"
                timeSeriesQuery = {
                  timeSeriesFilter = {
                    filter = chart.filter
                    aggregation = merge(
                      {
                        alignmentPeriod    = "300s"
                        perSeriesAligner   = chart.aligner
                        crossSeriesReducer = chart.aligner == "ALIGN_DELTA" ? "REDUCE_SUM" : "REDUCE_MAX"
                      },
                      length(chart.by) == 0 ? null : { groupByFields = chart.by },
                    )
                  }
                }
              }]
            }
          }
        })
      ]
    }
  })
  depends_on = [google_project_service.required]
}
