/** Tables of the simulated messaging channel, separate from those of the platform. */

/** Messages recorded by the simulated channel provider. */
export interface LocalChannelSendTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  media_url: string | null
  failure: string | null
}

/** State of a sender on the simulated channel, if it differs from what the platform knew. */
export interface LocalSenderTable {
  phone_number: string
  status: string | null
  quality_rating: string | null
  messaging_limit: number | null
  limit_known: number | null
}

/** State of a template on the simulated channel. */
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
