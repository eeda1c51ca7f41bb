export * from "../money.ts";
