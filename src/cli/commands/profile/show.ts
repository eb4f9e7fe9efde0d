import { command } from '../../command.ts'
import { maskKey } from '../../profiles.ts'

export const show = command({
  summary: 'Show which platform is used, and where each value came from',
  examples: ['', '--profile staging', '--origin'],
  flags: [{ flags: '--origin', describe: 'Tell where each value came from' }],
  async run(context, { flags }) {
    const { profileName, profile, baseUrl, key, timeoutMs, retries } = await context.settings()
    const values = {
      profile: profileName.value,
      base_url: baseUrl.value,
      key: key.value ? maskKey(key.value) : key.from,
      timeout: timeoutMs / 1000,
      retries,
      vocabulary: profile.vocabulary ?? null,
      protected: profile.protected === true,
      read_only: profile.read_only === true,
    }
    const origin = { profile: profileName.from, base_url: baseUrl.from, key: key.from }
    await context.out.record(flags.origin ? { ...values, origin } : values, { view: { id: (it) => it.profile, columns: [], empty: '' } })
  },
})
