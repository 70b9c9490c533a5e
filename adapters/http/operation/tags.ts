/** The groups of operations in the description, in reading order. */
export const TAGS = {
  Applications: 'Programs with an API key pair.',
  Users: 'Applications register users, sign them in and manage them.',
  Events: 'The event log as a feed.',
  Profile: 'Operations of signed-in users.',
  Keys: 'Public keys for offline verification of tokens.',
  'Event log': 'The signed event log, for auditors and their programs.',
  'OAuth 2.0': 'The standard routes for OAuth clients.',
  Operation: 'Health, metrics and this description.',
} as const

export type Tag = keyof typeof TAGS
