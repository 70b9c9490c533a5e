/** The headings under which operations stand, in the order of a reader, and what is found there. */
export const GROUPS = {
  Applications: 'Programs that hold an API key pair.',
  Users: 'Registered by applications, and signed in through them.',
  Profile: 'What users who are signed in do for themselves.',
  Keys: 'For whoever verifies tokens without asking.',
  'OAuth 2.0': 'For clients that speak OAuth 2.0 anyway.',
  Operation: 'For whoever looks after the service.',
} as const

export type Group = keyof typeof GROUPS
