import type { Page } from 'playwright-core'

/** A device that unlocks with a fingerprint. */
export const PLATFORM = {
  transport: 'internal',
  hasUserVerification: true,
  isUserVerified: true,
  hasResidentKey: true,
} as const
/** A security key without a PIN. */
export const ROAMING = {
  transport: 'usb',
  hasUserVerification: false,
  isUserVerified: false,
  hasResidentKey: false,
} as const

/** Gives the browser an authenticator. `verify` says whether it will recognize its user, `touch` whether the user answers its questions. */
export const withDevice = async (page: Page, device: typeof PLATFORM | typeof ROAMING) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', automaticPresenceSimulation: true, ...device },
  })
  return {
    verify: async (isUserVerified: boolean): Promise<void> => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    touch: async (enabled: boolean): Promise<void> => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
  }
}
