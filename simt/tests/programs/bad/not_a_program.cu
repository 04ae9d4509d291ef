Dear diary, today I learned about warps.
