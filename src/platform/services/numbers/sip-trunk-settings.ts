import type { TrunkDirection } from '../../../engine/ports/telephony.ts'
import { stringifyJson } from '../../../node/json.ts'

/** The configuration of a trunk, with the names of section 2.12. */
export interface TrunkSettings {
  readonly phone_number: string
  readonly nickname: string | null
  readonly sip_username: string
  readonly sip_password: string
  readonly sip_address: string
  readonly sip_calling_format: string
  readonly inbound_authorization_type: string
  readonly allowed_inbound_ips: readonly string[] | null
  readonly outbound_proxy: boolean
  readonly country_code: string
}

/** Both directions of a trunk. */
export const bothDirections: readonly TrunkDirection[] = ['inbound', 'outbound']

/**
 * The trunks at the voice infrastructure that are re-created when a setting changes (section 4.21), because it is part
 * of their configuration.
 */
export const recreatedBy: Readonly<Record<keyof TrunkSettings, readonly TrunkDirection[]>> = {
  sip_username: bothDirections,
  sip_password: bothDirections,
  sip_address: ['outbound'],
  phone_number: bothDirections,
  inbound_authorization_type: ['inbound'],
  allowed_inbound_ips: ['inbound'],
  outbound_proxy: ['outbound'],
  sip_calling_format: [],
  country_code: [],
  nickname: [],
}

const settingNames = Object.keys(recreatedBy) as (keyof TrunkSettings)[]

/**
 * Returns the trunks that a change re-creates. A given password always counts as changed, because it cannot be
 * compared.
 */
export function directionsToRecreate(
  before: Omit<TrunkSettings, 'sip_password'>,
  after: Partial<TrunkSettings>,
): TrunkDirection[] {
  const previous: Partial<TrunkSettings> = before
  const changed = settingNames.filter(
    (name) =>
      after[name] !== undefined &&
      (name === 'sip_password' || stringifyJson(after[name]) !== stringifyJson(previous[name])),
  )
  return bothDirections.filter((direction) => changed.some((it) => recreatedBy[it].includes(direction)))
}

/** Returns the configuration that the voice infrastructure needs for one direction. */
export const trunkConfiguration = (
  direction: TrunkDirection,
  settings: TrunkSettings,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(settingNames.filter((it) => recreatedBy[it].includes(direction)).map((it) => [it, settings[it]]))
