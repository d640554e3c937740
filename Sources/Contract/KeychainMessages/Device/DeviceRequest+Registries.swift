/// Requests about teams, apps and tools, which are questions too.
extension DeviceRequest {
    /// Nil for what the enclave or the journal answers.
    var listedQuestion: (any ListedDeviceQuestion)? {
        switch self {
        case .trustTeam(let key, let name, let expires, let passcode):
            TrustTeam(key: key, name: name, expires: expires, passcode: passcode)
        case .revokeTeam(let team, let passcode): RevokeTeam(team, passcode: passcode)
        case .teams: ListTeams()
        case .applications: ListApplications()
        case .forgetApplication(let application, let removesItems, let passcode):
            ForgetApplication(application, removesItems: removesItems, passcode: passcode)
        case .configureApplications(let removesItems, let passcode):
            ConfigureApplications(removesItems: removesItems, passcode: passcode)
        case .requireLevel(let level, let passcode): RequireLevel(level, passcode: passcode)
        case .ownersTool: DescribeOwnersTool()
        case .adopt(let passcode): AdoptTool(passcode: passcode)
        case .revokeTools(let passcode): RevokeTools(passcode: passcode)
        case .status, .refusals, .endings, .endedItems, .passcodeCost, .setPasscode, .changePasscode, .removePasscode,
            .unlock, .lock, .erase, .configure, .biometry:
            nil
        }
    }

    /// Nil for what the enclave or the journal answers.
    func listedReply(by device: some DeviceAnswers) throws(DeviceRefusal) -> DeviceReply? {
        guard let question = listedQuestion else { return nil }
        let answer: any KeychainAnswer = try question.answer(by: device)
        return switch answer {
        case let teams as [TrustedTeam]: .teams(teams)
        case let applications as [RegisteredApplication]: .applications(applications)
        case let removed as RemovedCount: .forgotten(removedItems: removed.count)
        case let tool as OwnersTool: .ownersTool(tool)
        case let adoption as Adoption: .adopted(adoption)
        default: .done
        }
    }
}
