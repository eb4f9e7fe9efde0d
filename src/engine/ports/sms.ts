import type { SendResult } from './messaging-channel.ts'
import type { Provider } from './provider.ts'

/** The SMS carrier. Sending is idempotent by key, as above. */
export interface SmsProvider extends Provider {
  send(key: string, message: { readonly from: string; readonly to: string; readonly body: string }): Promise<SendResult>
}
