import Foundation
import PackagePlugin

/// `swift package codesign`: builds the package's programs and signs them with `latchkey codesign`.
///
/// The tool is the installed one, which made the team's key. If the plugin depended on the target instead, each build of
/// Latchkey would compile everything below the tool a second time, as a tool of the build.
///
/// What is signed lies in the build directory, so nothing else needs to be writable.
@main
struct CodesignPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let request: SigningRequest
        do {
            request = try SigningRequest(arguments)
        } catch {
            return stop("\(error)\n\n" + SigningRequest.usage)
        }
        guard !request.wantsHelp else { return write(SigningRequest.usage + "\n", to: .standardOutput) }

        let products = context.package.products(ofType: ExecutableProduct.self)
        let descriptions = products.filter { request.products.isEmpty || request.products.contains($0.name) }
            .map { SigningDescription(product: $0, package: context.package) }
        if let missing = request.products.first(where: { name in !products.contains { $0.name == name } }) {
            return stop(
                "The package has no program \(missing). It has: \(products.map(\.name).sorted().joined(separator: ", "))."
            )
        }
        var orders: [SigningOrder] = []
        do {
            for description in descriptions {
                guard let order = try description.order(for: request) else { continue }
                orders.append(order)
            }
        } catch {
            return stop("\(error)")
        }
        guard !orders.isEmpty else {
            return stop(
                "No program of the package says under which identifier it is to be signed. Write Latchkey.plist with "
                    + "the key CFBundleIdentifier beside Package.swift or into the target's directory, or name one: "
                    + "swift package codesign --product NAME --identifier com.example.name")
        }
        guard let tool = try? context.tool(named: "latchkey").url else {
            return stop(
                "There is no program latchkey on the PATH, so nothing was built and nothing signed. Install it with "
                    + "`make install-user` or `make install` in a clone of Latchkey, or add the clone's .build/debug "
                    + "to the PATH.")
        }
        for order in orders {
            guard let program = try build(order.product, request: request) else { return }
            let status = try run(tool, order.arguments(program: program), input: request.passphraseFile)
            guard status == 0 else {
                return stop("\(order.product) was built, but not signed (exit code \(status) of latchkey codesign).")
            }
        }
    }

    /// Where the built program lies; nil if the build failed, which has been said then.
    private func build(_ product: String, request: SigningRequest) throws -> URL? {
        var parameters = PackageManager.BuildParameters(logging: .concise)
        parameters.configuration = request.isRelease ? .release : .debug
        let result = try packageManager.build(.product(product), parameters: parameters)
        guard result.succeeded else {
            stop(result.logText + "\n\(product) was not built, so it is not signed.")
            return nil
        }
        let programs = result.builtArtifacts.filter { $0.kind == .executable }
        guard let program = programs.first(where: { $0.url.lastPathComponent == product }) else {
            stop("\(product) was built, but there is no program of this name among the results.")
            return nil
        }
        return program.url
    }

    /// Runs the tool at the person's terminal, where it asks for the passphrase, or with a file as its input.
    private func run(_ tool: URL, _ arguments: [String], input: String?) throws -> Int32 {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        if let input {
            process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input))
        } else {
            // The plugin's own input belongs to the package manager.
            process.standardInput = FileHandle(forReadingAtPath: "/dev/tty") ?? FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func stop(_ reason: String) {
        Diagnostics.error(reason)
    }

    private func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
