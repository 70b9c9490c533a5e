/**
 * One key and one token of each kind, made by other software. RFC 8032 is deterministic, so there is
 * exactly one correct signature. The key pair is that of the published PASETO test vectors.
 */
export const FIXED = {
  d: 'tMv7Q99M4hByfZU-SnEzB_oZu32fhQQUONnhG5QqN3Q',
  x: 'Hrnbu7wEfAP9cGBOAHHwmH4Wsot1ciXBHwBBXQ4gsaI',
  kid: 'sTuAonImIVaZLB27mZeTD7OqlaWXYlLlwflj4o6l1fM',
  paserk: 'k4.secret.tMv7Q99M4hByfZU-SnEzB_oZu32fhQQUONnhG5QqN3Qeudu7vAR8A_1wYE4AcfCYfhayi3VyJcEfAEFdDiCxog',
  jwt: {
    claims: {
      iss: 'https://auth.example.com',
      sub: 'shop',
      client_id: 'shop',
      aud: 'https://auth.example.com',
      iat: 1_772_366_400,
      exp: 1_772_370_000,
      jti: 'token',
      scope: 'users:sign_in',
    },
    token: [
      'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6InNUdUFvbkltSVZhWkxCMjdtWmVURDdPcWxhV1hZbExsd2ZsajRvNmwxZk0ifQ',
      'eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20iLCJzdWIiOiJzaG9wIiwiY2xpZW50X2lkIjoic2hvcCIsImF1ZCI6Imh0dHBzOi8vYXV0aC5leGFtcGxlLmNvbSIsImlhdCI6MTc3MjM2NjQwMCwiZXhwIjoxNzcyMzcwMDAwLCJqdGkiOiJ0b2tlbiIsInNjb3BlIjoidXNlcnM6c2lnbl9pbiJ9',
      'cLffj035mwNNM9oFCFnztQtkPVeUFaBohycTMH14chU2smEkbFKSGYen8bggfSHvPSBYZM-TQJorysEkXmEMAQ',
    ].join('.'),
  },
  paseto: {
    claims: {
      iss: 'https://auth.example.com',
      sub: 'ada',
      sid: 'session',
      iat: 1_772_366_400,
      exp: 1_772_409_600,
      jti: 'token',
      auth_time: 1_772_366_399,
      acr: 'aal1',
      amr: ['pwd'],
    },
    token: [
      'v4.public',
      'eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20iLCJzdWIiOiJhZGEiLCJzaWQiOiJzZXNzaW9uIiwiaWF0IjoiMjAyNi0wMy0wMVQxMjowMDowMC4wMDBaIiwiZXhwIjoiMjAyNi0wMy0wMlQwMDowMDowMC4wMDBaIiwianRpIjoidG9rZW4iLCJhdXRoX3RpbWUiOiIyMDI2LTAzLTAxVDExOjU5OjU5LjAwMFoiLCJhY3IiOiJhYWwxIiwiYW1yIjpbInB3ZCJdfQftf4oKtAFt-AmVdE98kmHo6ckTP0QFlcM6-q_GKaQJI7btc7FcwJaSOLK0QQx582NJHWA4B1-y7bZzP4tXVgU',
      'eyJraWQiOiJzVHVBb25JbUlWYVpMQjI3bVplVEQ3T3FsYVdYWWxMbHdmbGo0bzZsMWZNIn0',
    ].join('.'),
  },
} as const
