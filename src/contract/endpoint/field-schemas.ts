import * as z from '../schema/schema.ts'
import { maxListed, maxPerPage } from '../values/page-size.ts'
import { e164Pattern } from '../values/phone-number.ts'
import { isTimeZone } from '../values/time-zone.ts'
import { onlyParleyServer, originKeywords } from './endpoint-origins.ts'
import { measureJson } from './json-size.ts'
import { longTextType } from './long-texts.ts'

/** ISO 8601 UTC with microseconds: keys, tools, trunks. */
export const isoMicros = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ format: 'date-time' })
/** ISO 8601 UTC with milliseconds: automations. */
export const isoMillis = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' })
/** `YYYY-MM-DD HH:MM:SS` in UTC: leads, conversations. */
export const plainTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

/** Integer id. In paths and queries it is text and is coerced first. */
export const id = z.int().min(1)

/** Returns the number of Unicode code points in a text, not of UTF-16 units. */
const countCodePoints = (text: string): number => {
  let n = 0
  for (const _ of text) n++
  return n
}

/** Returns a string schema limited in code points (`Infinity`: unlimited) for all length rules of the specification. */
export const text = (max: number, min = 0): z.ZodString =>
  z
    .string()
    .superRefine((value, ctx) => {
      const length = value.length <= max && value.length >= min * 2 ? value.length : countCodePoints(value)
      if (length > max) ctx.addIssue({ code: 'too_big', maximum: max, origin: 'string', inclusive: true, input: value })
      else if (length < min)
        ctx.addIssue({ code: 'too_small', minimum: min, origin: 'string', inclusive: true, input: value })
    })
    .meta({ ...(min > 0 && { minLength: min }), ...(Number.isFinite(max) && { maxLength: max }) })

/**
 * Returns a schema of a text of any length that people write in an editor, such as a prompt. A file of a resource may
 * have it in a Markdown file of its own.
 */
export const longText = (min = 0): z.ZodString => text(Infinity, min).meta({ contentMediaType: longTextType })

/** Returns a schema of an http or https URL of at most `max` characters. */
export const webAddress = (max: number): z.ZodString =>
  text(max)
    .refine((value) => /^https?:\/\/[^\s/?#]+/i.test(value) && URL.canParse(value.replace(/\{\{?\w+\}?\}/g, 'x')), {
      params: { rule: 'url' },
    })
    .meta({ format: 'uri' })

/** Returns whether a text is a phone number in strict E.164: a plus sign, then 7 to 15 digits, the first not 0. */
export const isE164 = (value: string): boolean => e164Pattern.test(value)
/** Phone number in a response, in strict E.164. */
export const e164Number = z.string().regex(e164Pattern)
/** UUID in a response. */
export const uuid = z.string().regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)
/** Amount or price in a response: never negative. */
export const amount = z.number().min(0)
/** Count in a response: never negative. */
export const count = z.int().min(0)

/** Returns a schema of a text with at least one visible character and at most `max` characters. */
export const visibleText = (max: number): z.ZodString =>
  text(max, 1).refine((value) => /[^\s\p{Cc}\p{Cf}]/u.test(value), { params: { rule: 'blank' } })

/** IANA time zone. */
export const timeZone = z.string().refine(isTimeZone, { params: { rule: 'timezone' } })

/** Date, `YYYY-MM-DD`. */
export const day = z
  .string()
  .refine(
    (value) => /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true,
    { params: { rule: 'date' } },
  )
  .meta({ format: 'date' })

/** Variables by name. Their values are not checked. */
export const variables = z.record(z.string(), z.unknown())

/**
 * Limits a value to `kilobytes` as compact JSON, and to a depth that can be serialized again. The names of the rules have
 * their messages in validation.ts.
 */
export const maxJsonSize = <T extends z.ZodType>(schema: T, kilobytes: number, maxDepth = 500): T =>
  schema
    .refine((value) => measureJson(value, kilobytes * 1024).bytes <= kilobytes * 1024, {
      params: { rule: 'kilobytes', max: kilobytes },
    })
    .refine((value) => measureJson(value, kilobytes * 1024).depth <= maxDepth, { params: { rule: 'depth' } })
    .meta({ 'x-max-bytes': kilobytes * 1024 }) as T

/** Maximum number of variables. */
const maxVariables = 500

/** Variables in a request: at most 500, 64 KB and 20 levels deep. The specification has no limit; storage needs one. */
export const givenVariables = maxJsonSize(
  variables.superRefine((value, ctx) => {
    if (Object.keys(value).length > maxVariables)
      ctx.addIssue({ code: 'too_big', maximum: maxVariables, origin: 'array', inclusive: true, input: value })
  }),
  64,
  21,
)

/** Runs a rule over several fields even if another field is invalid, so that all errors are reported at once. */
export const evenIfInvalid = {
  when: ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null,
}

/**
 * Marks a field that the specification does not state, with its source. With a capability, a request with the field is
 * refused on a platform that does not list the capability, and the help of the flag says so.
 */
export const assumed = <T extends z.ZodType>(schema: T, source = 'public deployments', capability?: string): T =>
  schema.meta({
    [originKeywords.source]: source,
    ...(capability && { [originKeywords.capability]: capability }),
  }) as T

/** `date_from` and `date_to`: whole UTC days, both inclusive. */
export const dateRange = {
  date_from: assumed(day.optional().describe('First day, YYYY-MM-DD (UTC)')),
  date_to: assumed(day.optional().describe('Last day, YYYY-MM-DD (UTC)')),
}

/**
 * Parameters that limit the time of the records of a list, from the earliest and to the latest, in any endpoint. A list
 * command turns a condition of `--filter` on the time into them: a parameter of another name is not found there.
 */
export const timeParameters = { from: ['date_from', 'since'], to: ['date_to', 'until'] } as const

/** Adds an issue if `date_to` is before `date_from`. */
export function checkDateOrder(
  { date_from: from, date_to: to }: { date_from?: string | undefined; date_to?: string | undefined },
  ctx: z.RefinementCtx,
): void {
  if (from !== undefined && to !== undefined && to < from)
    ctx.addIssue({
      code: 'custom',
      path: ['date_to'],
      message: 'The date to field must be a date after or equal to date from.',
    })
}

/** Response that contains only a message. */
export const messageResponse = z.object({ message: z.string() })

/** Returns the schema of a list in `data`. */
export const dataList = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item) })

/** Returns the schema of a message and the resource it is about. */
export const messageWithData = <T extends z.ZodType>(item: T) => z.object({ message: z.string(), data: item })

/** Returns the schema of the page envelope of section 4.8. */
export const pageEnvelope = <T extends z.ZodType>(item: T) =>
  z.object({
    current_page: z.int().min(1),
    data: z.array(item),
    first_page_url: z.string(),
    from: z.int().min(1).nullable(),
    last_page: z.int().min(1),
    last_page_url: z.string(),
    links: z.array(z.object({ url: z.string().nullable(), label: z.string(), active: z.boolean() })),
    next_page_url: z.string().nullable(),
    path: z.string(),
    per_page: z.int().min(1),
    prev_page_url: z.string().nullable(),
    to: z.int().min(1).nullable(),
    total: count,
  })

/** Query parameter of lists without pages: how many items are returned, 1-1000. */
export const maxItems = (usual: number) => z.int().min(1).max(maxListed).default(usual)

/** Returns the page parameters: `per_page` 1-100 with this default, and `page`. */
export const pageParameters = (perPage: number) => ({
  per_page: z.int().min(1).max(maxPerPage).default(perPage).describe('Items per page'),
  page: z.int().min(1).default(1).describe('Page to show'),
})

/** Field of a request that a person makes: the hours do not hold it. */
export const outsideHours = assumed(
  z.boolean().optional().describe('Send or call at once, also outside the contact hours'),
  onlyParleyServer,
  'contact-hours',
)
