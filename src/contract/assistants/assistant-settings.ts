import { assumed, id, longText, text, timeZone, variables, webAddress } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { BuiltInTool } from './built-in-tools.ts'
import { engineModes } from './engine-modes.ts'

const unit = z.number().min(0).max(1)
const sensitivity = z.number().min(0).max(5)
const seconds = (min: number, max: number) => z.int().min(min).max(max)
const phrases = z.array(text(255, 1)).optional()

/** Name of a value that an assistant extracts from a call. */
export const extractionName = z
  .string()
  .regex(/^[a-z0-9_]{3,16}$/)
  .describe('Name: 3-16 lower-case letters, digits, underscores')

/**
 * Settings that every assistant must have (section 4.15). These and the following ones are stored as JSON in rows of
 * assistants, are fields of files of `pull` and make flags of commands: they are added, not renamed.
 */
export const requiredSettings = {
  name: text(255, 1).describe('Name, at most 255 characters'),
  voice_id: id.describe('Id of the voice (parley voices list)'),
  language_id: id.describe('Id of the language (parley languages list)'),
  type: z.enum(['inbound', 'outbound']).describe('Call direction'),
  mode: z.enum(engineModes).describe('Engine mode'),
  timezone: timeZone.describe('Time zone (IANA name)'),
  initial_message: text(200, 1).describe('First message, at most 200 characters'),
  system_prompt: longText(1).describe('Instructions for the assistant'),
}

/** Optional settings that null does not clear (sections 4.15, 4.16). */
export const optionalSettings = {
  llm_model_id: id.describe('Id of the model, required in pipeline mode (parley models list --type llm)'),
  multimodal_model_id: id.describe('Id of the model, required in multimodal and dualplex mode'),
  secondary_language_ids: z.array(id).describe('Ids of additional languages to detect and switch to'),
  knowledgebase_mode: z
    .enum(['function_call', 'prompt'])
    .describe('How to use the knowledge base; prompt works in pipeline mode only'),
  label_ids: z.array(id).describe('Ids of labels'),
  tool_ids: z.array(id).describe('Ids of mid-call tools'),
  tools: z.array(BuiltInTool).describe('Built-in tools, each with a type'),
  tts_emotion_enabled: z.boolean().describe('Speak with emotion'),
  voice_stability: unit.describe('Voice stability, 0-1'),
  voice_similarity: unit.describe('Voice similarity, 0-1'),
  speech_speed: z.number().min(0.7).max(1.2).describe('Speech speed, 0.7-1.2'),
  llm_temperature: unit.describe('Model temperature, 0-1'),
  allow_interruptions: z.boolean().describe('Let callers interrupt; always on in multimodal and dualplex mode'),
  fillers: z.boolean().describe('Use filler words (pipeline mode only)'),
  filler_config: z
    .preprocess(
      // `[]` removes all entries (section 4.16, rule 3), although the value is an object.
      (it) => (Array.isArray(it) && it.length === 0 ? {} : it),
      z.object({
        positive: phrases.describe('Words after a positive statement'),
        negative: phrases.describe('Words after a negative statement'),
        question: phrases.describe('Words after a question'),
        neutral: phrases.describe('Words in all other cases'),
      }),
    )
    .describe('Filler words by mood: positive, negative, question, neutral; empty uses the defaults of the language'),
  record: z.boolean().describe('Record calls'),
  enable_noise_cancellation: z.boolean().describe('Cancel background noise'),
  wait_for_customer: z.boolean().describe('Wait for the customer to speak first'),
  max_duration: seconds(20, 1200).describe('Maximum call duration, 20-1200 seconds'),
  max_silence_duration: seconds(1, 360).describe('Maximum silence, 1-360 seconds'),
  ringing_time: seconds(1, 60).describe('Ringing time, 1-60 seconds'),
  reengagement_interval: seconds(7, 600).describe('Seconds of silence before the assistant speaks again, 7-600'),
  end_call_on_voicemail: z.boolean().describe('End the call if voicemail answers'),
  endpoint_type: z.enum(['vad', 'ai']).describe('Method to detect the end of a sentence'),
  endpoint_sensitivity: sensitivity.describe('Sensitivity of sentence-end detection, 0-5'),
  interrupt_sensitivity: sensitivity.describe('Sensitivity to interruptions, 0-5'),
  ambient_sound: z
    .enum(['off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'])
    .describe('Background sound'),
  ambient_sound_volume: unit.describe('Background sound volume, 0-1'),
  is_webhook_active: z.boolean().describe('Send the post-call webhook'),
  send_webhook_only_on_completed: z
    .boolean()
    .describe('Send the webhook only for completed calls, not for failed or unanswered ones'),
  include_recording_in_webhook: assumed(z.boolean().describe('Include the recording in the post-call webhook')),
  post_call_evaluation: assumed(z.boolean().describe('Evaluate calls when they end')),
  post_call_schema: assumed(
    z
      .array(
        z.object({
          name: extractionName,
          type: z.enum(['string', 'number', 'bool']).describe('Type of the value'),
          description: text(255, 3).describe('What to extract'),
        }),
      )
      .describe('Values to extract when a call ends'),
  ),
  variables: assumed(variables.describe('Variables for the prompts, used as {{name}}')),
  conversation_ended_retrigger: assumed(
    z.boolean().describe('Send the webhook again when a conversation resumes and ends again'),
  ),
}

/** Optional settings that null clears (section 4.16, rule 2). */
export const clearableSettings = {
  chat_llm_fallback_id: id.describe('Id of the model that runs tools in multimodal and dualplex mode'),
  turn_detection_threshold: unit.describe(
    'Turn detection threshold, 0-1, in multimodal and dualplex mode (default: automatic)',
  ),
  knowledgebase_id: id.describe('Id of the knowledge base'),
  folder_id: id.describe('Id of the folder (default: uncategorized)'),
  phone_number_id: id.describe('Id of the phone number'),
  synthesizer_provider_id: id.describe('Id of the text-to-speech provider (default: by language)'),
  transcriber_provider_id: id.describe('Id of the speech-to-text provider, in pipeline mode (default: by language)'),
  max_initial_silence_duration: seconds(1, 120).describe('Maximum silence at the start of a call, 1-120 seconds'),
  reengagement_prompt: text(1000).describe('Prompt used to speak again after silence, at most 1000 characters'),
  voice_mail_message: text(1000).describe('Voicemail message, at most 1000 characters'),
  min_interrupt_words: z.int().min(0).max(10).describe('Minimum number of words that count as an interruption, 0-10'),
  webhook_url: webAddress(2048).describe('URL of the post-call webhook'),
  conversation_inactivity_timeout: assumed(
    z.int().min(1).max(1440).describe('Minutes of inactivity before a conversation ends, 1-1440'),
  ),
  conversation_ended_webhook_url: assumed(webAddress(2048).describe('URL of the conversation-ended webhook')),
}
