variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  description = "The subscription's name."
  type        = string
}

variable "topic" {
  description = "The full name of the topic whose messages are pushed."
  type        = string
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "function" {
  description = "Who gets the messages: the Cloud Run service, its run.app address, and its time-out in seconds."
  type        = object({ service = string, uri = string, timeout = number })
}

variable "account_id" {
  description = "The account that the messages are delivered under. It may call this one function and nothing else."
  type        = string
  validation {
    condition     = length(var.account_id) >= 6 && length(var.account_id) <= 30
    error_message = "account_id has 6 to 30 characters: choose a shorter name for the environment."
  }
}

variable "ack_deadline_seconds" {
  description = "How long Pub/Sub waits for the function's answer before it delivers the message again."
  type        = number
  validation {
    condition     = var.ack_deadline_seconds >= var.function.timeout && var.ack_deadline_seconds <= 600
    error_message = "ack_deadline_seconds is from the function's time-out on, else a message is delivered again while it is worked on, up to Pub/Sub's limit of 600."
  }
}

variable "retention_days" {
  description = "How long a message waits for a function that does not take it."
  type        = number
  default     = 7
  validation {
    condition     = var.retention_days >= 1 && var.retention_days <= 31
    error_message = "retention_days is 1 to 31. The tombstones' lifetime in database.tf depends on it."
  }
}

variable "dead_letter_topic" {
  description = "The full name of the topic that gets what was delivered in vain. Pub/Sub's agent may publish to it already."
  type        = string
}

variable "max_delivery_attempts" {
  description = "A lane gives a document up after 4 attempts by itself. Deliveries that find it in the hands of another worker count here too, so they have to outlast the leases of workers that died."
  type        = number
  default     = 20
  validation {
    condition     = var.max_delivery_attempts >= 5 && var.max_delivery_attempts <= 100
    error_message = "max_delivery_attempts is 5 to 100, as Pub/Sub allows."
  }
}

variable "backoff" {
  description = "Seconds between deliveries, more each time. With 20 at first, a lane's own 4 attempts outlast an outage of a minute."
  type        = object({ minimum = optional(number, 20), maximum = optional(number, 600) })
  default     = {}
  validation {
    condition     = var.backoff.minimum >= 0 && var.backoff.minimum <= var.backoff.maximum && var.backoff.maximum <= 600
    error_message = "backoff.minimum and backoff.maximum are 0 to 600 seconds, in this order."
  }
}

variable "agent" {
  description = "Pub/Sub's own account in this project, as serviceAccount:…"
  type        = string
}
