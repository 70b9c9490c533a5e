/** What examples are made of. Passwords are such as every policy takes, and no secret looks like a real one. */
export const SAMPLE = {
  publicApiKey: 'pk_0192f1a4-7c3e-7d10-9a52-3b6c1f2e4d5a',
  privateApiKey: 'sk_<49 letters and digits>',
  applicationToken: 'eyJ…',
  userToken: 'v4.public.…',
  email: 'ada.lovelace@example.com',
  newEmail: 'grace.hopper@example.com',
  password: 'violet harbour tangled cinnamon',
  newPassword: 'quarrel lantern meadow obstacle',
  wrongPassword: 'none of these is my password',
  userId: '0192f1a4-91b0-7f3c-8d21-6e5a4c3b2a19',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  pasetoKid: 'k4.pid.yh4-bJYjOYAG6CWy0zsfPmpKylxS7uAWrxqVmBN2KAiJ',
  paserk: 'k4.public.cHFyc3R1dnd4eXp7fH1-f4CBgoOEhYaHiImKi4yNjo8',
} as const
