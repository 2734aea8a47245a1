variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  description = "The name of the subscription."
  type        = string
}

variable "topic" {
  description = "The full name of the topic."
  type        = string
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "function" {
  description = "The function that gets the messages: its Cloud Run service, its run.app URL, and its timeout in seconds."
  type        = object({ service = string, uri = string, timeout = number })
}

variable "account_id" {
  description = "The id of the account with which Pub/Sub calls the function. It may call only this function."
  type        = string
  validation {
    condition     = length(var.account_id) >= 6 && length(var.account_id) <= 30
    error_message = "account_id must have 6 to 30 characters. Choose a shorter `name` for the environment."
  }
}

variable "ack_deadline_seconds" {
  description = "How many seconds Pub/Sub waits for the function's answer before it delivers the message again."
  type        = number
  validation {
    condition     = var.ack_deadline_seconds >= var.function.timeout && var.ack_deadline_seconds <= 600
    error_message = "ack_deadline_seconds must be at least the function's timeout, and at most 600, the limit of Pub/Sub. With less, Pub/Sub would deliver a message again while the function still works on it."
  }
}

variable "retention_days" {
  description = "How many days Pub/Sub keeps a message that it cannot deliver."
  type        = number
  default     = 7
  validation {
    condition     = var.retention_days >= 1 && var.retention_days <= 31
    error_message = "retention_days must be from 1 to 31. The lifetime of tombstones in database.tf depends on it."
  }
}

variable "dead_letter_topic" {
  description = "The full name of the topic for messages whose deliveries all failed. Pub/Sub's agent must already have the right to publish to it."
  type        = string
}

variable "max_delivery_attempts" {
  description = "How many times Pub/Sub tries to deliver a message. A lane itself gives up a document after 4 attempts. Deliveries also count while a service is away or another worker has the document. After the last one, the function dead_letter publishes the message again if its document has attempts left."
  type        = number
  default     = 100
  validation {
    condition     = var.max_delivery_attempts >= 5 && var.max_delivery_attempts <= 100
    error_message = "max_delivery_attempts must be from 5 to 100, the limits of Pub/Sub."
  }
}

variable "backoff" {
  description = "Seconds between two deliveries. The time grows from minimum to maximum. An outage costs no attempts, so the maximum can be short: when a service is back, the documents that wait for it are done soon. Pub/Sub itself slows down a subscription whose requests fail."
  type        = object({ minimum = optional(number, 10), maximum = optional(number, 30) })
  default     = {}
  validation {
    condition     = var.backoff.minimum >= 0 && var.backoff.minimum <= var.backoff.maximum && var.backoff.maximum <= 600
    error_message = "backoff.minimum and backoff.maximum must be from 0 to 600 seconds, and minimum must not be larger than maximum."
  }
}

variable "agent" {
  description = "The agent: Pub/Sub's own account in this project, in the form serviceAccount:…"
  type        = string
}
