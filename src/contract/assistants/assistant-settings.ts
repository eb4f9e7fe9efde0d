import * as z from 'zod'
import { assumed, id, text, timeZone, variables, webAddress } from '../mechanics/field-schemas.ts'
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

/** What every assistant has (section 4.15). */
export const requiredSettings = {
  name: text(255, 1).describe('Name, at most 255 characters'),
  voice_id: id.describe('Id of the voice (parley voices list)'),
  language_id: id.describe('Id of the language (parley languages list)'),
  type: z.enum(['inbound', 'outbound']).describe('Direction of its calls'),
  mode: z.enum(engineModes).describe('Engine: pipeline, multimodal or dualplex'),
  timezone: timeZone.describe('Time zone (IANA name)'),
  initial_message: text(200, 1).describe('What it says first, at most 200 characters'),
  system_prompt: text(Infinity, 1).describe('Instructions of the assistant'),
}

/** What an assistant may be told, and null never means (sections 4.15, 4.16). */
export const optionalSettings = {
  llm_model_id: id.describe('Id of the model; pipeline needs it (parley models list --type llm)'),
  multimodal_model_id: id.describe('Id of the model; multimodal and dualplex need it'),
  secondary_language_ids: z.array(id).describe('Ids of further languages it detects and switches to'),
  knowledgebase_mode: z
    .enum(['function_call', 'prompt'])
    .describe('How it uses its knowledge base; prompt in pipeline only'),
  label_ids: z.array(id).describe('Ids of its labels'),
  tool_ids: z.array(id).describe('Ids of its mid-call tools'),
  tools: z.array(BuiltInTool).describe('Built-in tools, each by its type'),
  tts_emotion_enabled: z.boolean().describe('Speak with emotion'),
  voice_stability: unit.describe('Stability of the voice, 0-1'),
  voice_similarity: unit.describe('Similarity of the voice, 0-1'),
  speech_speed: z.number().min(0.7).max(1.2).describe('Speed of speech, 0.7-1.2'),
  llm_temperature: unit.describe('Temperature of the model, 0-1'),
  allow_interruptions: z.boolean().describe('The caller may interrupt; always so in multimodal and dualplex'),
  fillers: z.boolean().describe('Use filler words; pipeline only'),
  filler_config: z
    .preprocess(
      // `[]` removes all (section 4.16, rule 3), also from what is an object.
      (it) => (Array.isArray(it) && it.length === 0 ? {} : it),
      z.object({
        positive: phrases.describe('After something positive'),
        negative: phrases.describe('After something negative'),
        question: phrases.describe('After a question'),
        neutral: phrases.describe('Otherwise'),
      }),
    )
    .describe('Filler words by mood: positive, negative, question, neutral; empty for those of the language'),
  record: z.boolean().describe('Record calls'),
  enable_noise_cancellation: z.boolean().describe('Cancel noise'),
  wait_for_customer: z.boolean().describe('Wait for the customer to speak first'),
  max_duration: seconds(20, 1200).describe('Longest call, 20-1200 seconds'),
  max_silence_duration: seconds(1, 360).describe('Longest silence, 1-360 seconds'),
  ringing_time: seconds(1, 60).describe('How long to let it ring, 1-60 seconds'),
  reengagement_interval: seconds(7, 600).describe('Seconds of silence before it speaks again, 7-600'),
  end_call_on_voicemail: z.boolean().describe('End the call when a voicemail answers'),
  endpoint_type: z.enum(['vad', 'ai']).describe('How it notices the end of a sentence'),
  endpoint_sensitivity: sensitivity.describe('Sensitivity of noticing the end of a sentence, 0-5'),
  interrupt_sensitivity: sensitivity.describe('Sensitivity to interruptions, 0-5'),
  ambient_sound: z
    .enum(['off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'])
    .describe('Sound in the background'),
  ambient_sound_volume: unit.describe('Volume of the background, 0-1'),
  is_webhook_active: z.boolean().describe('Send the post-call webhook'),
  send_webhook_only_on_completed: z
    .boolean()
    .describe('Send it for completed calls only, not for failed or unanswered ones'),
  include_recording_in_webhook: assumed(z.boolean().describe('Put the recording into the post-call webhook')),
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
      .describe('What to extract from a call when it ends'),
  ),
  variables: assumed(variables.describe('Variables the prompts refer to as {{name}}')),
  conversation_ended_retrigger: assumed(
    z.boolean().describe('Report the end of a conversation again when it goes on and ends again'),
  ),
}

/** What an assistant may be told, and null takes back (section 4.16, rule 2). */
export const clearableSettings = {
  chat_llm_fallback_id: id.describe('Id of the model that runs tools in multimodal and dualplex'),
  turn_detection_threshold: unit.describe('When a turn ends, 0-1; automatic when not set; multimodal and dualplex'),
  knowledgebase_id: id.describe('Id of its knowledge base'),
  folder_id: id.describe('Id of its folder; uncategorized when not set'),
  phone_number_id: id.describe('Id of its phone number'),
  synthesizer_provider_id: id.describe('Id of the text-to-speech provider; by language when not set'),
  transcriber_provider_id: id.describe('Id of the speech-to-text provider; by language when not set; pipeline only'),
  max_initial_silence_duration: seconds(1, 120).describe('Longest silence at the start, 1-120 seconds'),
  reengagement_prompt: text(1000).describe('How it speaks again after silence, at most 1000 characters'),
  voice_mail_message: text(1000).describe('What it leaves on a voicemail, at most 1000 characters'),
  min_interrupt_words: z.int().min(0).max(10).describe('Words that make an interruption, 0-10'),
  webhook_url: webAddress(2048).describe('Address of the post-call webhook'),
  conversation_inactivity_timeout: assumed(
    z.int().min(1).max(1440).describe('Minutes after which a silent conversation ends, 1-1440'),
  ),
  conversation_ended_webhook_url: assumed(webAddress(2048).describe('Address of the conversation-ended webhook')),
}
