import { answering, type Body, type Planted } from './drifting-platform.ts'

export const plantIn = (
  endpoint: string,
  name: string,
  plant: Planted['plant'],
  more: Partial<Planted> = {},
): Planted => ({
  endpoint,
  name,
  plant,
  ...more,
})
export const rows = (body: Body): Body[] => (Array.isArray(body) ? body : (body.data ?? body.api_keys ?? body.runs))
export const each = (change: (row: Body) => void) =>
  answering((body: Body) => {
    for (const row of rows(body)) change(row)
  })
export const record = (change: (data: Body) => void) =>
  answering((body: Body) => {
    change(body.data ?? body)
  })
export const shortTime = (text: string): string => text.replace(/\.\d+Z$/, 'Z')
