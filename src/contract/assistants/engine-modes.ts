/** Engine modes of section 4.15. Rows of assistants and files of `pull` have them. */
export const engineModes = ['pipeline', 'multimodal', 'dualplex'] as const
export type EngineMode = (typeof engineModes)[number]

/** Name of the model field of each mode. The field is required when an assistant switches to that mode. */
export const modelField = {
  pipeline: 'llm_model_id',
  multimodal: 'multimodal_model_id',
  dualplex: 'multimodal_model_id',
} as const satisfies Record<EngineMode, string>

/** Settings that exist only in some modes. Leaving those modes clears them; entering one sets their defaults. */
export const modeSettings = {
  llm_model_id: ['pipeline'],
  transcriber_provider_id: ['pipeline'],
  fillers: ['pipeline'],
  filler_config: ['pipeline'],
  multimodal_model_id: ['multimodal', 'dualplex'],
  chat_llm_fallback_id: ['multimodal', 'dualplex'],
  turn_detection_threshold: ['multimodal', 'dualplex'],
  synthesizer_provider_id: ['pipeline', 'dualplex'],
  voice_stability: ['pipeline', 'dualplex'],
  voice_similarity: ['pipeline', 'dualplex'],
  speech_speed: ['pipeline', 'dualplex'],
} as const satisfies Record<string, readonly EngineMode[]>
export type ModeSetting = keyof typeof modeSettings

/** Returns whether a setting applies in a mode. */
export const isSettingOfMode = (setting: ModeSetting, mode: EngineMode): boolean =>
  (modeSettings[setting] as readonly EngineMode[]).includes(mode)

/** The settings of each mode, as conditional fields of an endpoint. */
export const settingsByMode = { by: 'mode', values: engineModes, fields: modeSettings } as const

/**
 * Defaults of a new assistant, and after a change of mode. Settings that are not listed have no default. They are stored
 * with the assistant, so that a change does not reach existing ones.
 */
export const assistantDefaults = {
  tts_emotion_enabled: true,
  voice_stability: 0.7,
  voice_similarity: 0.5,
  speech_speed: 1,
  llm_temperature: 0.1,
  allow_interruptions: true,
  fillers: false,
  record: false,
  enable_noise_cancellation: true,
  wait_for_customer: false,
  max_duration: 600,
  max_silence_duration: 40,
  ringing_time: 30,
  reengagement_interval: 30,
  end_call_on_voicemail: true,
  endpoint_type: 'vad',
  endpoint_sensitivity: 0.5,
  interrupt_sensitivity: 0.5,
  ambient_sound_volume: 0.5,
  is_webhook_active: false,
  send_webhook_only_on_completed: true,
  include_recording_in_webhook: true,
  post_call_evaluation: true,
  conversation_inactivity_timeout: 30,
  conversation_ended_retrigger: false,
} as const

/**
 * Returns the value of every mode-dependent setting after a change to `mode`: its default, or null if it has none or
 * does not apply.
 */
export const modeDefaults = (mode: EngineMode): Record<ModeSetting, number | boolean | null> =>
  Object.fromEntries(
    (Object.keys(modeSettings) as ModeSetting[]).map((key) => [
      key,
      isSettingOfMode(key, mode) && key in assistantDefaults
        ? assistantDefaults[key as keyof typeof assistantDefaults]
        : null,
    ]),
  ) as Record<ModeSetting, number | boolean | null>

interface ModeDependent {
  readonly llm_model_id?: number | null | undefined
  readonly multimodal_model_id?: number | null | undefined
  readonly allow_interruptions?: boolean | null | undefined
  readonly knowledgebase_id?: number | null | undefined
  readonly knowledgebase_mode?: string | null | undefined
}

/**
 * Checks an assistant against the rules of `mode` and returns error messages by field.
 * Pass the assistant in its state after the request.
 */
export function modeErrors(mode: EngineMode, settings: ModeDependent): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  const model = modelField[mode]
  if (settings[model] === undefined || settings[model] === null)
    errors[model] = [`The ${model.replaceAll('_', ' ')} field is required when mode is ${mode}.`]
  if (mode === 'pipeline') return errors
  if (settings.allow_interruptions === false)
    errors.allow_interruptions = [`The allow interruptions field cannot be false when mode is ${mode}.`]
  if (settings.knowledgebase_mode === 'prompt')
    errors.knowledgebase_mode = [`The knowledgebase mode field must be function_call when mode is ${mode}.`]
  else if (typeof settings.knowledgebase_id === 'number' && settings.knowledgebase_mode !== 'function_call')
    errors.knowledgebase_mode = [`The knowledgebase mode field is required when mode is ${mode}.`]
  return errors
}
