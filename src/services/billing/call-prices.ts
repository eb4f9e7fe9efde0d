import type { MicroUsd } from '../../providers/ports/providers.ts'

/** What a begun minute of a call costs, and what of it the carrier gets. The specification names no prices. */
export const minutePrice: MicroUsd = 100_000
const carrierMinutePrice: MicroUsd = 20_000

const startedMinutes = (seconds: number): number => Math.ceil(seconds / 60)

export const callCost = (seconds: number): MicroUsd => startedMinutes(seconds) * minutePrice
export const carrierCost = (seconds: number): MicroUsd => startedMinutes(seconds) * carrierMinutePrice
