# What users notice, as service levels: an upload becomes searchable in time, and questions are answered, and soon. Each
# level has a budget: the share of what happens in 28 days that may go wrong.
#
# Two alerts a level look at how fast the budget burns. The long window says that it matters, the short one that it still
# happens (https://sre.google/workbook/alerting-on-slos/, multiwindow, multi-burn-rate alerts).

locals {
  service_levels = {
    searchable = {
      all    = local.counted.delivered
      bad    = local.counted.delivered_late
      budget = 0.05
      advice = "Uploads become searchable late. If many files came at once, this is expected: `ragbase doctor` shows how much of the embedding service's rate is booked, and you can snooze the alert. Otherwise look for process.waiting in the log of the lanes; if they only have too much work, raise their max_instances."
    }
    answered = {
      all    = local.counted.asked
      bad    = local.counted.asked_failed
      budget = var.alert_when.query_error_share
      advice = "Questions fail. 503 means that Weaviate, Firestore or ${local.embedding_service} is not available. 500 is an error in ragbase; the api's log has the traceback."
    }
    quick = {
      all    = local.counted.searched
      bad    = local.counted.searched_slowly
      budget = 0.05
      advice = "Queries are slow. If only a few are very slow, the cause is cold starts: raise the api's min_instances. Otherwise look in the api's log for slow answers of Weaviate and ${local.embedding_service}."
    }
  }

  # With a large budget, a rate would ask for nearly everything to go wrong, for most of an hour.
  most = 0.4

  burns = {
    fast = { long = "1h", short = "5m", rate = 14.4, severity = "ERROR" } # 2 % of the budget in an hour
    slow = { long = "6h", short = "30m", rate = 6, severity = "WARNING" } # 5 % of it in six hours
  }

  service_level_alerts = merge([for level, of in local.service_levels : {
    for burn, window in local.burns : "${level}_burns_${burn}" => {
      severity = window.severity
      advice   = of.advice
      for      = 0
      query    = <<-EOT
        sum(increase(${of.bad}}[${window.long}])) / sum(increase(${of.all}}[${window.long}])) > ${min(window.rate * of.budget, local.most)}
        and sum(increase(${of.bad}}[${window.short}])) / sum(increase(${of.all}}[${window.short}])) > ${min(window.rate * of.budget, local.most)}
        and sum(increase(${of.all}}[${window.long}])) >= ${local.least}
      EOT
    }
  }]...)
}
