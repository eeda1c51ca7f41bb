// The people of the identity provider's stand-in: one for each result of a sign-in.

/** A person, and what the provider states about them. */
interface Person {
  /** The provider's name for the person: the claim `sub`. */
  readonly id: string;
  readonly claims: {
    readonly name: string;
    readonly groups: readonly string[];
    readonly verification_status: "verified" | "needs_submission";
  };
  /** The description on the page where a person is chosen. */
  readonly about: string;
}

/** The people to choose from. */
export const PEOPLE: readonly Person[] = [
  {
    id: "person-ada",
    claims: { name: "Ada", groups: ["members"], verification_status: "verified" },
    about: "a member",
  },
  {
    id: "person-ben",
    claims: { name: "Ben", groups: ["members"], verification_status: "needs_submission" },
    about: "a member whose identity is not verified",
  },
  {
    id: "person-olga",
    claims: {
      name: "Olga",
      groups: ["members", "operators"],
      verification_status: "verified",
    },
    about: "an operator",
  },
  {
    id: "person-eve",
    claims: { name: "Eve", groups: [], verification_status: "verified" },
    about: "not a member, so not admitted",
  },
];

/** Rules that fit these people, as variables of the service. */
export const PEOPLE_RULES = {
  SIGN_IN_ADMIT: "groups=members",
  SIGN_IN_VERIFIED: "verification_status=verified",
  SIGN_IN_OPERATORS: "groups=operators",
} as const;
