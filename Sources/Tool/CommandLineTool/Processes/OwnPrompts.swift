import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyPropertyListDER
import LatchkeyThreading

/// Prompts the user who called this program while one of its calls needs that: for a device in this process, and for
/// one behind a daemon as the agent of its own calls.
struct OwnPrompts: Sendable {
    private let socketPath: String?
    private let choice: PromptChoice
    /// Of a device in this process; nil where there is no way to ask.
    private let ownDevices: SystemPrompt?
    private let deviceName: String?

    /// - Parameter deviceName: which device asks, for people; nil where the program uses one only.
    init(socketPath: String?, deviceName: String? = nil) {
        self.socketPath = socketPath
        self.deviceName = deviceName
        choice = PromptChoice(environment: ProcessInfo.processInfo.environment)
        ownDevices = socketPath == nil && choice.isAny ? SystemPrompt(choice) : nil
    }

    /// The port through which a device in this process shows prompts.
    var port: (any PromptPort)? { ownDevices.map(named) }

    private func named(_ port: SystemPrompt) -> any PromptPort {
        guard let deviceName else { return port }
        return NamingPrompt(port: port, device: deviceName)
    }

    /// Ctrl-C at a prompt refuses; anywhere else it ends the program.
    func serving<Reply>(_ call: () -> Reply) -> Reply {
        guard choice.isAny else { return call() }
        let prompt = ownDevices ?? SystemPrompt(choice)
        let watch = InterruptWatch { signal in prompt.interrupt() && signal == SIGINT }
        defer { watch?.stop() }
        guard let socketPath else { return call() }
        let agent = AgentService(socketPath: socketPath, port: named(prompt))
        // Where the daemon cannot be reached, the call itself says so.
        try? agent.start()
        defer {
            agent.stop()
            // The call may be over because a finger matched, and its prompt still be on the terminal.
            prompt.close()
        }
        return call()
    }
}

/// Adds the name of the device to the prompts.
struct NamingPrompt: PromptPort {
    let port: any PromptPort
    let device: String

    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        var named = prompt
        named.device = device
        return port.ask(named, until: cancellation)
    }
}

extension ItemRequest {
    /// True if the query forbids prompts.
    var isSilent: Bool {
        query.contains { $0.key == .string("u_AuthUI") && $0.value != .string("u_AuthUIA") }
    }

    /// True if the request may prompt the user.
    package var mayAskPerson: Bool {
        guard !isSilent else { return false }
        switch operation {
        case .find, .update: return true
        // A new item may have a password of its own.
        case .add: return query.contains { $0.name == .accessControl }
        case .delete: return false
        }
    }
}
