import type { Vocabulary } from './vocabulary.ts'

const channel = { messaging: 'whatsapp' }

/**
 * Words seen on public deployments of the platform. Profiles and servers of users choose it by the name `public`: a
 * changed word breaks their requests.
 */
export const publicVocabulary: Vocabulary = {
  paths: channel,
  keys: {
    channel_message_id: 'whatsapp_message_id',
    payment_price_id: 'stripe_price_id',
    messaging_sender: 'whatsapp_sender',
    messaging_sender_id: 'whatsapp_sender_id',
    messaging_sender_phone: 'whatsapp_sender_phone',
    messaging_template: 'whatsapp_template',
    messaging_template_id: 'whatsapp_template_id',
    fallback_messaging_sender_id: 'fallback_whatsapp_sender_id',
    fallback_messaging_template_id: 'fallback_whatsapp_template_id',
  },
  values: {
    type: channel,
    calendar_type: { cal_a: 'calcom', cal_b: 'calendly' },
    channel,
    fallback_channel: channel,
    event: { messaging_voice: 'whatsapp_voice' },
    required_connections: {
      spreadsheet: 'google-sheets',
      mail: 'gmail',
      'calendar-a': 'cal-com',
      'crm-b': 'lead-connector',
    },
    pieceName: { '@platform/piece-platform': '@integration-tools/piece-voice' },
    // Template keys, and the key of a template's parameter.
    key: {
      'post-call-qualified-to-spreadsheet': 'post-call-qualified-to-sheets',
      'post-call-messaging-confirmation': 'post-call-whatsapp-confirmation',
      'sheet-rows-to-messaging-daily': 'sheet-rows-to-whatsapp-daily',
      messaging_template: 'whatsapp_template',
    },
  },
  prefixes: {
    '*': { cal_a_: 'calcom_', cal_b_: 'calendly_' },
    pieceName: { '@engine/piece-': '@activepieces/piece-' },
    error_code: { PROVIDER_ERROR_: 'TWILIO_ERROR_' },
    key: { 'calendar-a-': 'calcom-', 'crm-b-': 'ghl-' },
  },
  decimals: { llm_temperature: 2, voice_stability: 2, voice_similarity: 2, speech_speed: 2, ambient_sound_volume: 2 },
  bits: ['fillers', 'end_call_on_voicemail'],
  wrapped: { tools: 'data' },
}
