/** What the simulated messaging channel knows: kept apart from the platform's own tables. */

/** The local channel provider's own books. */
export interface LocalChannelSendTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  media_url: string | null
  failure: string | null
}

/** What the local channel says of a sender where it differs from what the platform knew: its own books. */
export interface LocalSenderTable {
  phone_number: string
  status: string | null
  quality_rating: string | null
  messaging_limit: number | null
  limit_known: number | null
}

/** What the local channel says of a template: its own books. */
export interface LocalTemplateTable {
  sender: string
  name: string
  language: string
  status: string
}

export interface ChannelSimulatorTables {
  local_channel_send: LocalChannelSendTable
  local_sender: LocalSenderTable
  local_template: LocalTemplateTable
}
