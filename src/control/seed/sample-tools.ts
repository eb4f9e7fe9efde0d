import type { ToolTable } from '../../store/assistants/tables.ts'

/** A tool of the sample data. */
export interface SampleTool
  extends Pick<
    ToolTable,
    'name' | 'description' | 'type' | 'endpoint' | 'method' | 'body_format' | 'timeout' | 'automation_id'
  > {
  readonly headers: readonly { name: string; value: string }[]
  readonly static_fields: readonly { key: string; value: string }[]
  readonly schema: readonly { name: string; type: string; description: string; required: boolean }[]
}

/** The tools of the sample data. */
export const sampleTools: readonly SampleTool[] = [
  {
    name: 'lookup_patient',
    description: 'Find a patient by phone number before booking anything for them.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/patients?phone={{customer_phone}}',
    method: 'GET',
    body_format: 'json',
    timeout: 10,
    automation_id: null,
    headers: [{ name: 'Accept', value: 'application/json' }],
    static_fields: [],
    schema: [],
  },
  {
    name: 'book_appointment',
    description: 'Book an appointment once the patient has agreed to a day and a time.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/appointments',
    method: 'POST',
    body_format: 'json',
    timeout: 15,
    automation_id: null,
    headers: [{ name: 'X-Practice', value: 'northwind' }],
    static_fields: [{ key: 'source', value: 'assistant' }],
    schema: [
      { name: 'day', type: 'string', description: 'Day of the appointment, YYYY-MM-DD', required: true },
      { name: 'time', type: 'string', description: 'Time of the appointment, HH:MM', required: true },
      { name: 'new_patient', type: 'boolean', description: 'Whether this is their first visit', required: false },
    ],
  },
  {
    name: 'quote_treatment',
    description: 'Tell the price of a treatment.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/prices/{treatment}',
    method: 'GET',
    body_format: 'json',
    timeout: 5,
    automation_id: null,
    headers: [],
    static_fields: [],
    schema: [{ name: 'treatment', type: 'string', description: 'Treatment asked about, one word', required: true }],
  },
  {
    name: 'reschedule_visit',
    description: 'Move a visit that is booked already to another day.',
    type: 'automation',
    endpoint: 'http://127.0.0.1/automate/api/v1/webhooks/Vq3tR8mKx2LpZc5WnYd7a/sync',
    method: 'POST',
    body_format: 'json',
    timeout: 30,
    automation_id: 'Vq3tR8mKx2LpZc5WnYd7a',
    headers: [],
    static_fields: [],
    schema: [{ name: 'new_day', type: 'string', description: 'Day to move the visit to, YYYY-MM-DD', required: true }],
  },
]
