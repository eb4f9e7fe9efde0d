import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { BuiltInTool, toolDefaultTexts } from '../../../src/contract/assistants/built-in-tools.ts'
import {
  assistantDefaults,
  engineModes,
  modeDefaults,
  modeErrors,
} from '../../../src/contract/assistants/engine-modes.ts'
import { validate } from '../../../src/contract/endpoint/validation.ts'
import { assistants } from '../../../src/contract/resources/assistants.ts'

const front = {
  name: 'Front',
  voice_id: 1,
  language_id: 1,
  type: 'inbound',
  mode: 'pipeline',
  timezone: 'Europe/Paris',
  initial_message: 'Hello',
  system_prompt: 'Be kind.',
  llm_model_id: 1,
}
const refusals = (schema: z.ZodObject, raw: unknown) => {
  const result = validate(schema, raw)
  return result.ok ? {} : result.errors
}

describe('a new assistant', () => {
  test('gets every default of the specification and nothing else', () => {
    const made = validate(assistants.create.body, front)
    expect(made).toEqual({ ok: true, value: { ...front, ...assistantDefaults } })
    expect(assistantDefaults).toMatchObject({
      voice_stability: 0.7,
      llm_temperature: 0.1,
      max_duration: 600,
      endpoint_type: 'vad',
      tts_emotion_enabled: true,
      conversation_inactivity_timeout: 30,
    })
  })

  test('needs the model of its mode', () => {
    const { llm_model_id: _, ...rest } = front
    expect(refusals(assistants.create.body, rest)).toEqual({
      llm_model_id: ['The llm model id field is required when mode is pipeline.'],
    })
    expect(refusals(assistants.create.body, { ...rest, mode: 'dualplex' })).toEqual({
      multimodal_model_id: ['The multimodal model id field is required when mode is dualplex.'],
    })
  })

  test('all errors are reported at once, including rules over several fields', () => {
    expect(
      Object.keys(
        refusals(assistants.create.body, {
          ...front,
          name: undefined,
          mode: 'multimodal',
          timezone: '+01:00',
          allow_interruptions: false,
          is_webhook_active: true,
          tools: [{ type: 'call_transfer' }],
        }),
      ),
    ).toEqual(['name', 'timezone', 'multimodal_model_id', 'tools.0.phone_number', 'allow_interruptions', 'webhook_url'])
  })

  test('accepts null for the folder, and for no other field', () => {
    expect(refusals(assistants.create.body, { ...front, folder_id: null })).toEqual({})
    expect(refusals(assistants.create.body, { ...front, knowledgebase_id: null })).toEqual({
      knowledgebase_id: ['The knowledgebase id field must be an integer.'],
    })
  })
})

describe('an update', () => {
  const clears = [
    'chat_llm_fallback_id',
    'turn_detection_threshold',
    'knowledgebase_id',
    'folder_id',
    'phone_number_id',
    'synthesizer_provider_id',
    'transcriber_provider_id',
    'max_initial_silence_duration',
    'reengagement_prompt',
    'voice_mail_message',
    'min_interrupt_words',
    'webhook_url',
    'conversation_inactivity_timeout',
    'conversation_ended_webhook_url',
  ]

  test('accepts null exactly for fields that null clears', () => {
    const shape = assistants.update.body.shape as Record<string, z.ZodType>
    expect(
      Object.keys(shape)
        .filter((name) => shape[name]?.safeParse(null).success)
        .sort(),
    ).toEqual(clears.sort())
  })

  test('accepts every field of a new assistant', () => {
    expect(Object.keys(assistants.update.body.shape).sort()).toEqual(Object.keys(assistants.create.body.shape).sort())
  })
})

describe('modes', () => {
  test('a new mode sets the defaults of its settings and clears those of the others', () => {
    expect(modeDefaults('multimodal')).toEqual({
      llm_model_id: null,
      transcriber_provider_id: null,
      fillers: null,
      filler_config: null,
      multimodal_model_id: null,
      chat_llm_fallback_id: null,
      turn_detection_threshold: null,
      synthesizer_provider_id: null,
      voice_stability: null,
      voice_similarity: null,
      speech_speed: null,
    })
    expect(modeDefaults('pipeline')).toMatchObject({ fillers: false, voice_stability: 0.7, speech_speed: 1 })
    expect(modeDefaults('dualplex')).toMatchObject({ fillers: null, voice_stability: 0.7 })
  })

  test('a knowledge base is used by function call unless the mode is pipeline', () => {
    expect(modeErrors('pipeline', { llm_model_id: 1, knowledgebase_id: 1, knowledgebase_mode: 'prompt' })).toEqual({})
    for (const mode of engineModes.filter((it) => it !== 'pipeline')) {
      expect(
        Object.keys(modeErrors(mode, { multimodal_model_id: 1, knowledgebase_id: 1, knowledgebase_mode: 'prompt' })),
      ).toEqual(['knowledgebase_mode'])
      expect(Object.keys(modeErrors(mode, { multimodal_model_id: 1, knowledgebase_id: 1 }))).toEqual([
        'knowledgebase_mode',
      ])
      expect(
        modeErrors(mode, { multimodal_model_id: 1, knowledgebase_id: 1, knowledgebase_mode: 'function_call' }),
      ).toEqual({})
    }
  })
})

describe('built-in tools', () => {
  test('have the defaults of the specification', () => {
    expect(
      BuiltInTool.parse({
        type: 'warm_call_transfer',
        supervisor_phone: '+15551234567',
        outbound_phone_id: 3,
        description: 'When asked',
      }),
    ).toMatchObject({
      custom_sip: false,
      caller_id_mode: 'outbound_number',
      hold_music: 'hold_music',
      hold_music_volume: 80,
      hold_message: toolDefaultTexts.hold,
    })
    expect(BuiltInTool.parse({ type: 'collect_keypad' })).toEqual({ type: 'collect_keypad', timeout: 5, stop_key: '#' })
    expect(BuiltInTool.parse({ type: 'assistant_transfer', assistant_id: 2 })).toMatchObject({
      speak_transfer_greeting: true,
      description: toolDefaultTexts.transfer,
    })
  })

  test('a calendar is of the first kind by default', () => {
    expect(
      BuiltInTool.parse({ type: 'calendar_integration', cal_a_api_key: 'k', cal_a_event_slug: 's' }),
    ).toMatchObject({
      calendar_type: 'cal_a',
      cal_a_endpoint: 'us',
    })
    const other = { type: 'calendar_integration', calendar_type: 'cal_b', cal_b_api_key: 'k' }
    expect(
      BuiltInTool.safeParse({
        ...other,
        cal_b_event_type_uri: 'https://api.example.com/event_types/8d1d5b8e-0f7c-4a53-9f0e-3d0c5a1f8b11',
      }).success,
    ).toBe(true)
    expect(BuiltInTool.safeParse({ ...other, cal_b_event_type_uri: 'https://api.example.com/events/1' }).success).toBe(
      false,
    )
  })

  test('an unknown kind is refused by its type', () => {
    expect(
      refusals(assistants.update.body, { tools: [{ type: 'teleport' }, { type: 'end_call', volume: 3 }] }),
    ).toEqual({
      'tools.0.type': ['The selected tools.0.type is invalid.'],
      'tools.1.volume': ['The tools.1.volume field is not recognized.'],
    })
  })
})
