import type { MicroUsd } from '../../../engine/ports.ts'

/** Price of a started minute of a call, and the part of it the carrier receives. The specification names no prices. */
export const minutePrice: MicroUsd = 100_000
const carrierMinutePrice: MicroUsd = 20_000

const startedMinutes = (seconds: number): number => Math.ceil(seconds / 60)

/** Returns the price of a call of so many seconds. */
export const callCost = (seconds: number): MicroUsd => startedMinutes(seconds) * minutePrice
/** Returns the carrier's part of the price of a call of so many seconds. */
export const carrierCost = (seconds: number): MicroUsd => startedMinutes(seconds) * carrierMinutePrice
